"""Requests and their answers.

The two find each other by WARC-Concurrent-To, on either of them and in either order, or by having the same
address and date.
"""

from collections.abc import Iterator

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
        self._answers: dict[bytes | int, None] = {}  # the latest answers: ids, ids they name, addresses

    def add(self, key: bytes, named: list[bytes], place: Place, header: Header) -> None:
        kind = header.kind
        if kind != "request" and kind not in CAPTURES:
            return
        address = hash((header.first.get("warc-target-uri", "").strip("<>"), header.first.get("warc-date")))
        if kind == "request":
            self._ask(key, named, address, place)
        else:
            self._answer(key, named, address)

    def _ask(self, key: bytes, named: list[bytes], address: int, place: Place) -> None:
        if address in self._answers or any(other in self._answers for other in (key, *named)):
            return
        if len(self._open) < MOST_OPEN:
            self._open[key] = place
            self._addresses[address] = key
            self._expected.update((other, key) for other in named)

    def _answer(self, key: bytes, named: list[bytes], address: int) -> None:
        for other in named:
            self._open.pop(other, None)
        for request in (self._expected.pop(key, None), self._addresses.pop(address, None)):
            if request is not None:
                self._open.pop(request, None)
        self._answers.update(dict.fromkeys((key, address, *named)))
        while len(self._answers) > RECENT:
            del self._answers[next(iter(self._answers))]

    def finish(self) -> Iterator[Located]:
        for place in self._open.values():
            yield place, ("warc-request-alone", {})
