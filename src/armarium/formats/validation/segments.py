"""Records in several segments (ISO 28500:2017, 7): numbers without a gap, one address, the right total."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from armarium.formats.validation.header import Finding, Header
from armarium.formats.validation.relations import Located, Place, key_of
from armarium.formats.validation.values import is_number

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
