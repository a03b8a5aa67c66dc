"""The metadata WARC of a crawl: order, logs, reports and indexes, as NetarchiveSuite packs them.

    metadata://<authority>/crawl/setup/order.json?crawl=…
    metadata://<authority>/crawl/logs/crawl.log?crawl=…
    metadata://<authority>/crawl/reports/hosts-report.txt?crawl=…
    metadata://<authority>/crawl/index/cdx?crawl=…&filename=…

Each is a resource record. The file is called `<name>-metadata-<number>.warc.gz`; the number is 1 unless there
is one already, as after a resumed crawl.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, urlencode
from xml.sax.saxutils import escape

from armarium.core.clock import now
from armarium.core.crawl_order import CrawlOrder
from armarium.formats.warc.digest import labelled
from armarium.formats.warc.folder import RotatingWriter
from armarium.formats.warc.new_record import NewRecord, resource, warcinfo
from armarium.formats.warc.writer import Naming, safe
from armarium.harvest.record.companion import index_whole
from armarium.harvest.record.description import harvest_info

_CHUNK = 1024 * 1024
_NO_LIMIT = 1 << 62
_TYPES = {".json": "application/json", ".xml": "text/xml", ".cdxj": "application/x-cdxj"}
_IS_METADATA = "-metadata-"


class Part(NamedTuple):
    """A file that goes in: its kind is `setup`, `logs` or `reports`."""

    kind: str
    path: Path


class MetadataWarc:
    """Writes the one file. `ids` are further facts for the addresses, such as ids of harvest and job."""

    def __init__(
        self,
        folder: Path,
        name: str,
        fields: Sequence[tuple[str, str]],
        *,
        authority: str = "armarium",
        ids: Sequence[tuple[str, str]] = (),
        clock: Callable[[], datetime] = now,
    ) -> None:
        self._authority = authority
        self._query = [("crawl", name), *ids]
        self._clock = clock
        number = 1 + len(list(folder.glob(f"{safe(name)}{_IS_METADATA}*.warc.gz")))
        self._writer = RotatingWriter(
            folder,
            Naming(f"{{name}}{_IS_METADATA}{number}", (("name", name),)),
            clock,
            describe=lambda filename, moment: warcinfo(moment, fields, filename=filename),
            limit=_NO_LIMIT,
            sealing=index_whole,
        )

    def write(self, parts: Iterable[Part], indexes: Iterable[tuple[str, bytes]]) -> Path | None:
        """Write all parts that are not empty, and the index of each data file; where the file is."""
        for part in parts:
            if part.path.exists() and part.path.stat().st_size:
                self._writer.write(self._file(part))
        for name, index in indexes:
            target = self._target("index/cdx", ("filename", name))
            self._writer.write(resource(target, self._clock(), index, "application/x-cdx"))
        return self._writer.seal()

    def add(self, kind: str, name: str, content: bytes, content_type: str = "text/plain") -> None:
        """Write something that is no file: the order without its secrets."""
        target = self._target(f"{kind}/{name}")
        self._writer.write(resource(target, self._clock(), content, content_type))

    def _file(self, part: Part) -> NewRecord:
        # Read twice rather than kept: a log may have gigabytes, and the digest stands before the content.
        digest = hashlib.sha1(usedforsecurity=False)
        length = 0
        for piece in _pieces(part.path):
            digest.update(piece)
            length += len(piece)
        return resource(
            self._target(f"{part.kind}/{part.path.name}"),
            self._clock(),
            _pieces(part.path, length),
            _TYPES.get(part.path.suffix, "text/plain"),
            block_digest=labelled("sha1", digest.digest()),
            block_length=length,
        )

    def _target(self, path: str, *more: tuple[str, str]) -> str:
        query = urlencode([*self._query, *more])
        return f"metadata://{self._authority}/crawl/{quote(path)}?{query}"


def _pieces(path: Path, length: int | None = None) -> Iterator[bytes]:
    """The file, or as much of it as there was: a log may grow while it is packed."""
    left = length
    with path.open("rb") as file:
        while piece := file.read(_CHUNK if left is None else min(_CHUNK, left)):
            left = None if left is None else left - len(piece)
            yield piece


# --- Which harvest a crawl is part of, for the metadata WARC, in the files in which NetarchiveSuite says it.


def harvest_ids(order: CrawlOrder) -> list[tuple[str, str]]:
    """For the addresses of all parts."""
    harvest = order.harvest
    found = {"harvestid": harvest.definition, "harvestnum": harvest.run, "jobid": harvest.job}
    return [(name, str(value)) for name, value in found.items() if value is not None]


def harvest_parts(order: CrawlOrder) -> Iterator[tuple[str, bytes, str]]:
    """Name, content and type of each; none of a crawl that nobody planned."""
    harvest = order.harvest
    if fields := harvest_info(order):
        yield "harvestInfo.xml", _xml(fields), "text/xml"
    if harvest.aliases:
        lines = [f"{alias} is an alias for {domain}\n" for alias, domain in harvest.aliases.items()]
        yield "aliases", "".join(lines).encode(), "text/plain"
    # Without the index nothing could be found in their files.
    if harvest.duplicate_jobs and order.recording.digest_index:
        yield "duplicatereductionjobs", ",".join(map(str, harvest.duplicate_jobs)).encode(), "text/plain"


def _xml(fields: list[tuple[str, str]]) -> bytes:
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<harvestInfo>"]
    for field, value in fields:
        name = field.removeprefix("harvestInfo.")
        if value:
            lines.append(f"  <{name}>{escape(_sayable(value))}</{name}>")
    return "\n".join([*lines, "</harvestInfo>", ""]).encode()


def _sayable(text: str) -> str:
    """XML 1.0 has no word for control characters, not even escaped."""
    return "".join(sign if sign.isprintable() or sign in "\n\t" else " " for sign in text)
