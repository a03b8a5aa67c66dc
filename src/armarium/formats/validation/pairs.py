"""Requests and their answers.

The two find each other by WARC-Concurrent-To, on either of them and in either order, or by having the same
address and date.
"""

from collections import OrderedDict
from collections.abc import Iterator, Sequence

from armarium.formats.validation.header import Header
from armarium.formats.validation.relations import RECENT, Located, Place

CAPTURES = ("response", "revisit", "resource")
MOST_OPEN = 100_000  # requests that wait for their answer


class Pairs:
    """The requests that have no answer yet, and the latest answers."""

    def __init__(self) -> None:
        self._open: dict[bytes, Place] = {}  # requests by id
        self._expected: dict[bytes, bytes] = {}  # id of an answer that a request names → that request
        self._addresses: dict[int, bytes] = {}  # address and date of an open request → that request
        # The latest answers: ids, ids they name, addresses.
        self._answers: OrderedDict[bytes | int, None] = OrderedDict()

    def add(self, key: bytes, named: Sequence[bytes], place: Place, header: Header) -> None:
        kind = header.kind
        if kind != "request" and kind not in CAPTURES:
            return
        address = hash((header.first.get("warc-target-uri", "").strip("<>"), header.first.get("warc-date")))
        if kind == "request":
            self.ask(key, named, address, place)
        else:
            self.answer(key, named, address)

    def ask(self, key: bytes, named: Sequence[bytes], address: int, place: Place) -> None:
        """A request; `address` stands for its address and date."""
        answers = self._answers
        if address in answers or key in answers or not answers.keys().isdisjoint(named):
            return
        if len(self._open) < MOST_OPEN:
            self._open[key] = place
            self._addresses[address] = key
            self._expected.update((other, key) for other in named)

    def answer(self, key: bytes, named: Sequence[bytes], address: int) -> None:
        """An answer, or what stands for one."""
        answers = self._answers
        if self._open or self._expected or self._addresses:
            self._close(key, named, address)
        answers[key] = answers[address] = None
        for other in named:
            answers[other] = None
        while len(answers) > RECENT:
            answers.popitem(last=False)

    def _close(self, key: bytes, named: Sequence[bytes], address: int) -> None:
        for other in named:
            self._open.pop(other, None)
        for request in (self._expected.pop(key, None), self._addresses.pop(address, None)):
            if request is not None:
                self._open.pop(request, None)

    def finish(self) -> Iterator[Located]:
        for place in self._open.values():
            yield place, ("warc-request-alone", {})
