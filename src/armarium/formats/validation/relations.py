"""How the records of one file hang together: unique ids, references, dates of one capture.

Comes in: one record after the other. Goes out: findings, many of them only at the end of the file.
It must never grow without bound: ids are kept as 16 bytes each, up to `MOST_RECORDS` of them.
"""

import hashlib
import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from armarium.formats.validation.header import Finding, Header

MOST_RECORDS = 1_000_000
MOST_OPEN = 100_000  # references that wait for their record
RECENT = 4096  # records whose date is remembered: the records of a capture stand close to each other
UUID = re.compile(r"<urn:uuid:[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}>")
EVENTS = ("request", "response", "resource", "metadata", "revisit")  # that make up captures (5.7)

Lookup = Callable[[str], bool]  # whether a record id is in another file of the archive


class Place(NamedTuple):
    """Where a record stands."""

    number: int
    offset: int


Located = tuple[Place, Finding]


def key_of(record_id: str) -> bytes:
    """16 bytes for a record id: the UUID itself, or a digest of anything else."""
    if UUID.fullmatch(record_id):
        return bytes.fromhex(record_id[10:-1].replace("-", ""))
    return hashlib.blake2b(record_id.encode("utf-8", "replace"), digest_size=16).digest()


class Relations:
    """What is known of the records so far."""

    def __init__(self, lookup: Lookup | None = None) -> None:
        self.full = False  # no more records are taken in
        self._lookup = lookup
        self._ids: set[bytes] = set()
        self._warcinfos: set[bytes] = set()
        self._recent: OrderedDict[bytes, tuple[str, str]] = OrderedDict()  # id → date, id as written
        self._waiting: dict[str, dict[bytes, tuple[Place, str]]] = {code: {} for code in DANGLING}

    def has(self, key: bytes) -> bool:
        """Whether a record of this key came by."""
        return key in self._ids

    def add(
        self, key: bytes, named: Sequence[bytes], place: Place, header: Header, findings: list[Finding]
    ) -> None:
        """Take in one record, and find what is wrong with it in the light of those before.

        `named` are the keys of the records that it names as concurrent.
        """
        record_id = header.first["warc-record-id"]
        if key in self._ids:
            findings.append(("warc-id-repeated", {"value": record_id}))
        self._ids.add(key)
        if header.kind == "warcinfo":
            self._warcinfos.add(key)
        if header.kind in EVENTS:
            self._check_dates(key, named, header, findings)
        self._note_references(named, place, header)
        if len(self._ids) >= MOST_RECORDS:
            self.full = True
            findings.append(("warc-relations-not-checked", {"limit": MOST_RECORDS}))

    def is_usual(self, key: bytes, named: Sequence[bytes], date: str) -> bool:
        """Whether nothing is wrong with a record of a capture in the light of those before."""
        if key in self._ids or len(self._ids) + 1 >= MOST_RECORDS:
            return False
        for other in named:
            known = self._recent.get(other)
            if known is not None and known[0] != date:
                return False
        return True

    def add_usual(self, key: bytes, date: str, record_id: str) -> None:
        """Take in a record of a capture that is as usual, but for what it refers to."""
        self._ids.add(key)
        self._recent[key] = (date, record_id)
        if len(self._recent) > RECENT:
            self._recent.popitem(last=False)

    def _check_dates(
        self, key: bytes, named: Sequence[bytes], header: Header, findings: list[Finding]
    ) -> None:
        """5.4: records written as part of a single capture event shall use the same WARC-Date."""
        date = header.first.get("warc-date", "")
        for other in named:
            known = self._recent.get(other)
            if known is not None and known[0] != date:
                facts = {"value": date, "other": known[1], "date": known[0]}
                findings.append(("warc-concurrent-date", facts))
                break
        self._recent[key] = (date, header.first["warc-record-id"])
        if len(self._recent) > RECENT:
            self._recent.popitem(last=False)

    def _note_references(self, named: Sequence[bytes], place: Place, header: Header) -> None:
        for key, value in zip(named, header.concurrent_to, strict=True):
            self.concurrent(key, value, place)
        if header.kind != "warcinfo" and (value := header.first.get("warc-warcinfo-id", "")):
            self.described(key_of(value), value, place)
        if value := header.first.get("warc-refers-to", ""):
            self._wait("warc-refers-to-dangling", key_of(value), value, place, self._ids)

    def concurrent(self, key: bytes, value: str, place: Place) -> None:
        """A record names another one of the same capture."""
        self._wait("warc-concurrent-to-dangling", key, value, place, self._ids)

    def described(self, key: bytes, value: str, place: Place) -> None:
        """A record names its warcinfo."""
        self._wait("warc-warcinfo-id-dangling", key, value, place, self._warcinfos)

    def _wait(self, code: str, key: bytes, value: str, place: Place, known: set[bytes]) -> None:
        waiting = self._waiting[code]
        if key not in known and len(waiting) < MOST_OPEN:
            waiting.setdefault(key, (place, value))

    def finish(self) -> Iterator[Located]:
        """The references that no record of the file answers, nor, where it can be asked, the archive."""
        for code, waiting in self._waiting.items():
            known = self._warcinfos if code == "warc-warcinfo-id-dangling" else self._ids
            for key, (place, value) in waiting.items():
                if key in known:
                    continue
                if self._lookup is None:
                    yield place, (code, {"value": value})
                elif not self._lookup(value):
                    yield place, (DANGLING[code], {"value": value})


# What a reference is called that leads nowhere: within the file, and within the whole archive.
DANGLING = {
    "warc-concurrent-to-dangling": "warc-concurrent-to-dangling",
    "warc-warcinfo-id-dangling": "warc-warcinfo-id-dangling",
    "warc-refers-to-dangling": "warc-refers-to-absent",
}


# --- Requests and their answers.
#
# The two find each other by WARC-Concurrent-To, on either of them and in either order, or by having the same
# address and date.


CAPTURES = ("response", "revisit", "resource")
# requests that wait for their answer


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
