"""Digests of what the archive has, by which the engine knows a payload that it need not write again."""

import re
from collections.abc import Callable, Container, Iterable, Iterator
from typing import NamedTuple

from armarium.formats.cdx.query import Match, Query
from armarium.formats.url import Match as UrlMatch
from armarium.formats.url import search_range
from armarium.index.lookup import Lookup
from armarium.index.runs.facts import filename_of

# The same marks by which the engine reads its digest index; a payload that is elsewhere is no original.
_DIGEST = re.compile(rb'"digest": ?"([^"]+)"')
_OK = re.compile(rb'"status": ?"?200\b')
_REVISIT = re.compile(rb'"mime": ?"warc/revisit"|"filename": ?"-"')


class _Range(NamedTuple):
    """Keys from `start` to before `end`, and for each domain in it where that is and which files count."""

    start: str
    end: str
    asked: list[tuple[bytes, bytes, Container[str] | None]]

    def wants(self, line: bytes) -> bool:
        name: str | None = None
        for start, end, files in self.asked:
            if start <= line and (not end or line < end):
                if files is None:
                    return True
                name = filename_of(line) or "" if name is None else name
                if name in files:
                    return True
        return False


def digest_lines(
    lookup: Lookup,
    domains: Iterable[str] | None = None,
    *,
    files: Callable[[str], Container[str]] | None = None,
) -> Iterator[bytes]:
    """Sorted CDXJ of the captures that a new one may repeat: of each address and digest the newest.

    `domains`: those with all that is below them; None: all there are. `files` says whose captures of a domain
    are believed, by the names of files; it is asked once for each domain, and with an empty text for all. A
    file may hold captures of any site, also forged ones: what is repeated is not fetched, so it matters.
    Memory holds the lines of one address.
    """
    for each in _ranges(domains, files):
        group: dict[bytes, bytes] = {}
        key = b""
        for line in lookup.raw(Query(key=each.start, to_key=each.end, match=Match.RANGE)):
            digest = _DIGEST.search(line)
            if digest is None or not _OK.search(line) or _REVISIT.search(line) or not each.wants(line):
                continue
            here = line.partition(b" ")[0]
            if here != key:
                yield from sorted(group.values())
                group, key = {}, here
            group[digest[1]] = line
        yield from sorted(group.values())


def _ranges(domains: Iterable[str] | None, files: Callable[[str], Container[str]] | None) -> Iterator[_Range]:
    """Ranges of keys in order, none within another."""
    if domains is None:
        yield _Range("", "", [(b"", b"", files("") if files is not None else None)])
        return
    found: list[tuple[str, str, str]] = []
    for domain in set(domains):
        start, end = search_range(f"http://{domain}/", UrlMatch.DOMAIN)
        host = end.removesuffix("-")
        # Ports are part of keys: `example,a:8080)/` comes behind all that is below `example,a`.
        found += [(start, end, domain), (f"{host}:", f"{host};", domain)]
    believed = {domain: files(domain) if files is not None else None for _, _, domain in found}
    now: _Range | None = None
    for start, end, domain in sorted(found):
        if now is None or start >= now.end:
            if now is not None:
                yield now
            now = _Range(start, end, [])
        now.asked.append((start.encode(), end.encode(), believed[domain]))
    if now is not None:
        yield now
