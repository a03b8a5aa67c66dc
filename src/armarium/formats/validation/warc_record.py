"""One WARC record after the other, judged by its header, its content, and the records before it."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

from armarium.formats.problem import Problem
from armarium.formats.validation.content import check_content
from armarium.formats.validation.fast_header import UsualHeaders
from armarium.formats.validation.fast_record import UsualRecords
from armarium.formats.validation.header import VERSIONS, Finding, Header, check_header
from armarium.formats.validation.inputs import Archive, check_original
from armarium.formats.validation.record_types import check_record_type
from armarium.formats.validation.relations import Located, Pairs, Place, Relations, key_of
from armarium.formats.validation.values import is_number
from armarium.formats.warc.fields import Fields
from armarium.formats.warc.records import Record

# --- Records in several segments (ISO 28500:2017, 7): numbers without a gap, one address, the right total.


MOST_CHAINS = 10_000


@dataclass(slots=True)
class Chain:
    """The segments of one record, as far as they have come by."""

    place: Place  # of the first segment seen
    address: str
    number: int = 1  # of the latest segment
    length: int = 0  # of all blocks so far
    complete: bool = True  # from the first segment on, without a gap
    total: bool = False  # whether the last segment has come


class Segments:
    def __init__(self, has: Callable[[bytes], bool]) -> None:
        self._has = has  # whether a record came by
        self._chains: dict[bytes, Chain] = {}

    def add(self, key: bytes | None, place: Place, header: Header, length: int) -> list[Finding]:
        """Take in one record that has something to do with segments; returns what is wrong with it."""
        number = header.first.get("warc-segment-number", "")
        if not is_number(number):
            return []
        if header.kind != "continuation":
            if key is not None and int(number[:18]) == 1 and len(self._chains) < MOST_CHAINS:
                self._chains[key] = Chain(place, _address(header), length=length)
            return []
        return self._continue(place, header, int(number[:18]), length)

    def _continue(self, place: Place, header: Header, number: int, length: int) -> list[Finding]:
        findings: list[Finding] = []
        if number < 2:
            # 5.20: in a continuation, the sequence number in the logical whole; the first segment has 1.
            findings.append(("warc-segment-continuation", {"value": number}))
        origin = header.first.get("warc-segment-origin-id", "")
        if not origin:
            return findings
        key = key_of(origin)
        chain = self._chains.get(key)
        if chain is None:
            code = "warc-segment-origin-not-first" if self._has(key) else "warc-segment-origin-absent"
            findings.append((code, {"value": origin}))
            if len(self._chains) >= MOST_CHAINS:
                return findings
            chain = Chain(place, _address(header), number, length, complete=False)
            self._chains[key] = chain
        else:
            self._append(chain, header, number, length, findings)
        self._check_total(chain, header, findings)
        return findings

    def _append(
        self, chain: Chain, header: Header, number: int, length: int, findings: list[Finding]
    ) -> None:
        if chain.total:
            findings.append(("warc-segment-after-last", {}))
        if number >= 2 and number != chain.number + 1:
            findings.append(("warc-segment-gap", {"value": number, "before": chain.number}))
            chain.complete = False
        if _address(header) != chain.address:
            findings.append(("warc-segment-uri", {}))
        chain.number = number
        chain.length += length

    def _check_total(self, chain: Chain, header: Header, findings: list[Finding]) -> None:
        total = header.first.get("warc-segment-total-length", "")
        if not is_number(total):
            return
        chain.total = True
        if chain.complete and int(total[:18]) != chain.length:
            findings.append(("warc-segment-total", {"value": total, "found": chain.length}))

    def finish(self) -> Iterator[Located]:
        for chain in self._chains.values():
            if not chain.total:
                yield chain.place, ("warc-segment-unfinished", {})


def _address(header: Header) -> str:
    return header.first.get("warc-target-uri", "").strip("<>")


# --- The records.


VERSION = re.compile(r"WARC/(\d+\.\d+)", re.IGNORECASE)
COMPRESSED = (".gz", ".zst", ".open")


class Outcome(NamedTuple):
    """What is wrong with one record, and what was checked of it."""

    kind: str
    findings: list[Finding]
    problems: list[Problem]  # of the HTTP parser
    checked: int = 0  # digests
    matched: int = 0


class Circumstances(Protocol):
    """The part of the options that concerns records."""

    @property
    def now(self) -> datetime | None: ...
    @property
    def begin(self) -> datetime | None: ...
    @property
    def end(self) -> datetime | None: ...
    @property
    def archive(self) -> Archive | None: ...


def as_text(moment: datetime | None) -> str | None:
    """A moment as WARC-Date writes it: dates in UTC compare as text."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if moment else None


class WarcValidation:
    """The WARC records of one file."""

    def __init__(self, name: str, options: Circumstances) -> None:
        self._name = name
        self._latest = as_text(options.now)
        self._interval = (as_text(options.begin) or "", as_text(options.end) or "~")
        self._archive = options.archive
        self._relations = Relations(options.archive.has if options.archive else None)
        self._pairs = Pairs()
        self._usual = UsualHeaders()
        self._segments = Segments(self._relations.has)
        self._version = ""
        end = min(self._latest or "~", self._interval[1])
        self._usual_records = UsualRecords(self._usual, self._relations, self._pairs, self._interval[0], end)

    def check_usual(self, record: Record) -> tuple[str, int] | None:
        """The type of a record in which there is nothing to find, and how many digests match.

        None for a record that `check` must judge: none of it has been read, and nothing of it remembered.
        """
        if record.version != self._version or self._archive is not None or self._relations.full:
            return None
        return self._usual_records.check(record, VERSIONS[self._version[5:]])

    def check(self, record: Record) -> Outcome:
        """Judge one record; reads its block to the end."""
        header = check_header(record.version[5:], record.fields, self._usual)
        findings = header.findings
        if record.version != self._version:
            self._check_version(record.version, findings)
        if not record.number and header.kind != "warcinfo":
            findings.append(("warc-warcinfo-not-first", {}))
        findings += check_record_type(header, record.block.length, self._latest)
        content = check_content(record.block, header)
        findings += content.findings
        self._relate(record, header, content.length, findings)
        if self._archive is not None or self._interval != ("", "~"):
            self._check_surroundings(header, findings)
        if header.kind == "warcinfo" and self._name:
            self._check_filename(header, findings)
        kind = header.kind or "none"
        return Outcome(kind, findings, content.problems, content.checked, content.matched)

    def finish(self) -> Iterator[Located]:
        """What only the end of the file can tell."""
        yield from self._relations.finish()
        yield from self._pairs.finish()
        yield from self._segments.finish()

    def check_beginning(self, version: str, raw: bytes) -> list[Finding]:
        """Judge a header that has no end."""
        findings = check_header(version[5:], Fields(raw)).findings
        self._check_version(version, findings)
        return findings

    def _check_version(self, value: str, findings: list[Finding]) -> None:
        match = VERSION.fullmatch(value)
        if match is None:
            findings.append(("warc-version-invalid", {"value": value}))
            return  # of every record that has it
        if match[1] not in VERSIONS:
            findings.append(("warc-version-unknown", {"value": value}))
            return
        if match[1].startswith("0"):
            findings.append(("warc-version-draft", {"value": value}))
        if self._version:
            findings.append(("warc-versions-mixed", {"value": value, "before": self._version}))
        self._version = value

    def _relate(self, record: Record, header: Header, length: int, findings: list[Finding]) -> None:
        record_id = header.first.get("warc-record-id")
        place = Place(record.number, record.offset)
        key = key_of(record_id) if record_id else None
        if key is not None and not self._relations.full:
            named = [key_of(value) for value in header.concurrent_to]
            self._relations.add(key, named, place, header, findings)
            self._pairs.add(key, named, place, header)
        if "warc-segment-number" in header.first:
            findings += self._segments.add(key, place, header, length)

    def _check_surroundings(self, header: Header, findings: list[Finding]) -> None:
        first = header.first
        begin, end = self._interval
        date = first.get("warc-date", "")
        if date and not begin <= date <= end:
            findings.append(("warc-date-outside", {"value": date, "begin": begin, "end": end}))
        if self._archive is None:
            return
        record_id = first.get("warc-record-id")
        if record_id and self._archive.has(record_id):
            findings.append(("warc-id-in-archive", {"value": record_id}))
        if header.kind == "revisit":
            findings += check_original(first, self._archive.original(first))

    def _check_filename(self, header: Header, findings: list[Finding]) -> None:
        """5.17. A file that was packed, unpacked or finished since has the same name but for the suffix."""
        stated = header.first.get("warc-filename", "").strip('"')
        if stated and _bare(stated) != _bare(self._name):
            findings.append(("warc-filename-differs", {"value": stated, "name": self._name}))


def _bare(name: str) -> str:
    name = name.replace("\\", "/").rpartition("/")[2]
    while name.endswith(COMPRESSED):
        name = name.rpartition(".")[0]
    return name
