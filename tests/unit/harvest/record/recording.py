"""A recorder, and what it left in its folder."""

from pathlib import Path

from armarium.core.crawl_order import CrawlOrder, Identity, Recording
from armarium.formats.cdx.index import index
from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.records import Record
from armarium.harvest.record import CaptureFacts, Recorder

LINKED = CaptureFacts(
    hops="LE",
    via="http://example.org/",
    source="http://example.org/",
    charset="utf-8",
    outlinks=[("http://example.org/a", "L", "a/@href"), ("http://example.org/b.png", "E", "img/@src")],
)


def recorder(folder: Path, **recording: object) -> Recorder:
    order = CrawlOrder(
        recording=Recording.model_validate(recording),
        identity=Identity(operator="A Library", mail="a@example.org"),
    )
    return Recorder(
        order, folder, state=folder, host="h-1", software="Armarium", ip="192.0.2.1", user_agent="armarium"
    )


def assert_indexed(folder: Path) -> int:
    """Each sealed file has its index, as the indexer makes it; the number of files."""
    files = sorted(folder.glob("*.warc.gz"))
    for path in files:
        with path.open("rb") as file:
            lines = sorted(line.to_cdxj() for line in index(ArchiveReader(file), path.name))
        assert path.with_name(f"{path.name}.cdxj").read_bytes() == b"".join(line + b"\n" for line in lines)
    return len(files)


def records(folder: Path) -> list[tuple[Record, bytes]]:
    found = []
    for path in sorted(folder.glob("*.warc.gz")):
        with path.open("rb") as file:
            found += [(record, b"".join(record.block)) for record in ArchiveReader(file, strict=True)]
    return found
