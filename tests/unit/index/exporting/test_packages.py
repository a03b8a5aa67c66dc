"""Captures as WACZ: what players need is in it, and nothing else; the same captures give the same bytes."""

import gzip
import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from armarium.formats.cdx.parsing import capture_in
from armarium.formats.cdx.query import Match, Query
from armarium.formats.wacz.package import Package
from armarium.formats.warc.cursor import Compression
from armarium.formats.warc.new_record import identical_revisit, response, warcinfo
from armarium.formats.warc.new_record import request as asking
from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.writer import WarcWriter
from armarium.index.chain.children import make_run
from armarium.index.exporting.packages import export_wacz
from armarium.index.lookup import Lookup
from armarium.index.runs import Run
from armarium.index.runs.folder import FolderPlace

ONE, TWO, THREE = (f"http://example.org/{name}" for name in ("one", "two", "three"))
DAY = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
LATER = datetime(2026, 5, 6, tzinfo=UTC)
EVERYTHING = Query(match=Match.RANGE)


def page(text: str) -> bytes:
    return f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>{text}</p>".encode()


@pytest.fixture(params=[Compression.GZIP, Compression.NONE])
def files(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """An old file with two pages, and a newer one in which the first of them is unchanged."""
    folder = tmp_path / "files"
    folder.mkdir()
    with (folder / "old.warc.gz").open("wb") as sink:
        writer = WarcWriter(sink, compression=request.param)
        writer.write(warcinfo(DAY, [("software", "test")]))
        first = writer.write(response(ONE, DAY, page("one")))
        writer.write(response(TWO, DAY, page("two")))
    with (folder / "new.warc.gz").open("wb") as sink:
        writer = WarcWriter(sink, compression=request.param)
        writer.write(warcinfo(LATER, [("software", "test")]))
        digest = first.payload_digest or ""
        head = page("one").partition(b"<")[0]
        writer.write(identical_revisit(ONE, LATER, head, payload_digest=digest))
        writer.write(response(THREE, LATER, page("three")))
        writer.write(asking(THREE, LATER, b"GET /three HTTP/1.1\r\n\r\n"))
    return folder


def lookup(files: Path, *names: str) -> Lookup:
    place = FolderPlace(files.parent)
    for name in names:
        with (files / name).open("rb") as file:
            make_run(file, name, files.parent / f"{name}.run")
    runs = [Run(place, f"{name}.run") for name in names]
    return Lookup(lambda: runs)


def exported(files: Path, lines: Iterator[bytes], *whole: str) -> Package:
    everything = lookup(files, "old.warc.gz", "new.warc.gz")
    target = io.BytesIO()
    export_wacz(
        lines,
        target,
        archive=everything,
        open_file=lambda name: (files / name).open("rb"),
        whole=whole,
        title="Export",
    )
    package = Package(target)
    assert list(package.faults()) == []
    return package


def content(package: Package, path: str) -> bytes:
    [entry] = (one for one in package.entries if one.path == path)
    return package.open(entry).read()


def captures(package: Package) -> list[tuple[str, str]]:
    """What the index of the package leads to: type and address of each record."""
    found = []
    for raw in gzip.decompress(content(package, "indexes/index.cdx.gz")).splitlines():
        line = capture_in(raw)
        assert line is not None
        data = content(package, f"archive/{line.filename}")
        record = next(iter(ArchiveReader(io.BytesIO(data), offset=line.offset or 0)))
        assert record.target_uri == line.url
        found.append((record.record_type, record.target_uri or ""))
    return found


def pages(package: Package) -> list[tuple[str, str]]:
    head, *rest = map(json.loads, content(package, "pages/pages.jsonl").splitlines())
    assert head["format"] == "json-pages-1.0"
    return [(one["url"], one["ts"]) for one in rest]


def test_a_list_of_captures_brings_their_records_and_no_others(files: Path) -> None:
    package = exported(files, lookup(files, "old.warc.gz").raw(Query(TWO)))
    assert captures(package) == [("response", TWO)]
    kinds = [one.record_type for one in ArchiveReader(io.BytesIO(content(package, "archive/old.warc.gz")))]
    assert kinds == ["warcinfo", "response"]
    assert pages(package) == [(TWO, "2026-01-02T03:04:05Z")]
    assert package.facts["created"] == "2026-01-02T03:04:05Z"


def test_whole_files_come_as_they_are_and_originals_from_elsewhere_with_them(files: Path) -> None:
    package = exported(files, lookup(files, "new.warc.gz").raw(EVERYTHING), "new.warc.gz")
    assert content(package, "archive/new.warc.gz") == (files / "new.warc.gz").read_bytes()
    assert captures(package) == [("response", ONE), ("revisit", ONE), ("response", THREE)]
    assert pages(package) == [(ONE, "2026-05-06T00:00:00Z"), (THREE, "2026-05-06T00:00:00Z")]


def test_the_original_of_an_unchanged_capture_may_have_another_address(files: Path) -> None:
    with (files / "old.warc.gz").open("rb") as file:
        first = next(one for one in ArchiveReader(file) if one.target_uri == ONE)
        digest = first.fields.get("WARC-Payload-Digest") or ""
    head = page("one").partition(b"<")[0]
    with (files / "new.warc.gz").open("wb") as sink:
        writer = WarcWriter(sink, compression=Compression.GZIP)
        writer.write(warcinfo(LATER, [("software", "test")]))
        writer.write(
            identical_revisit(THREE, LATER, head, digest, refers_to_target_uri=ONE, refers_to_date=DAY)
        )
        writer.write(identical_revisit(TWO, LATER, head, payload_digest="sha1:" + "A" * 32))
    package = exported(files, lookup(files, "new.warc.gz").raw(EVERYTHING))
    assert captures(package) == [("response", ONE), ("revisit", THREE), ("revisit", TWO)]
    assert pages(package) == [(THREE, "2026-05-06T00:00:00Z")]


def test_the_same_captures_give_the_same_bytes(files: Path) -> None:
    def written() -> bytes:
        target = io.BytesIO()
        found = lookup(files, "old.warc.gz", "new.warc.gz")
        count = export_wacz(
            found.raw(EVERYTHING),
            target,
            archive=found,
            open_file=lambda name: (files / name).open("rb"),
        )
        assert count == 4
        return target.getvalue()

    assert written() == written()
