"""The index of a sealed file is what the indexer makes of the file, byte for byte."""

import random
from datetime import timedelta
from pathlib import Path

import pytest

from armarium.core.clock import now
from armarium.formats.warc.folder import RotatingWriter
from armarium.formats.warc.new_record import Truncation, metadata, resource, response, warcinfo
from armarium.formats.warc.writer import Naming
from armarium.harvest.fetch.exchange import DnsAnswer
from armarium.harvest.record.companion import FileIndex, companion_of
from armarium.harvest.record.lines import Place, response_line, revisit_line
from armarium.harvest.reports.metadata_warc import MetadataWarc, Part
from tests.unit.harvest.record.exchanges import REQUEST, STARTED, chunked, exchange, message
from tests.unit.harvest.record.recording import LINKED, assert_indexed, recorder

LARGE = bytes(range(256)) * 6000
POST = REQUEST.replace(b"GET", b"POST").replace(b"\r\n\r\n", b"\r\nContent-Length: 3\r\n\r\na=b")
ANSWERS = {
    "usual": message(b"<p>Hello"),
    "empty body": message(b""),
    "redirect": message(b"", status="302 Found", fields="Location: /x\r\n"),
    "no type": message(b"x", fields=""),
    "empty type": message(b"x", fields="Content-Type:\r\n"),
    "type with parameters": message(b"x", fields="Content-Type: Text/HTML ; charset=utf-8\r\n"),
    "folded type": message(b"x", fields="Content-Type: text/html;\r\n charset=utf-8\r\n"),
    "two types": message(b"x", fields="content-type: a/b\r\nContent-Type: c/d\r\n"),
    "type in other letters": message(b"x", fields="Content-Type: text/ht\u00e4l\r\n"),
    "type in Latin-1": b"HTTP/1.1 200 OK\r\nContent-Type: text/\xe4\r\n\r\nx",
    "type with quotes": message(b"x", fields='Content-Type: "text/html"\\\r\n'),
    "other status": message(b"x", status="999 Odd"),
    "no reason": message(b"x", status="200"),
    "other version": b"HTTP/2 200\r\nContent-Type: text/html\r\n\r\nx",
    "ICY": b"ICY 200 OK\r\nContent-Type: audio/mpeg\r\n\r\nx",
    "line feeds": b"HTTP/1.1 200 OK\nContent-Type: text/html\n\nx",
    "carriage returns": b"HTTP/1.1 200 OK\rContent-Type: text/html\r\rx",
    "no empty line": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n<html>x",
    "no end of head": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nServer: x",
    "no head": b"just bytes\r\n\r\nand more",
    "long head": message(b"x", fields=f"X: {'y' * 5000}\r\nContent-Type: text/html\r\n"),
    "type at the first look's end": message(b"x", fields=f"X: {'y' * 4045}\r\nContent-Type: text/html\r\n"),
    "very long head": message(b"x", fields=f"X: {'y' * 300_000}\r\nContent-Type: text/html\r\n"),
    "large": message(LARGE),
    "chunked": chunked(b"Hello ", b"world"),
    "chunked, large": chunked(*[LARGE] * 2),
    "chunked, not ended": chunked(b"Hello ", b"world")[:-9],
    "chunked, with extensions": chunked(b"Hello").replace(b"5\r\n", b"5;x=y\r\n"),
    "chunked in name only": chunked()[:-5] + b"plain bytes",
    "chunked, with a type of no use": chunked(b"x").replace(b"text/html", b""),
    "gzip as transfer coding": chunked(b"no gzip").replace(b": chunked", b": gzip, chunked"),
    "identity": chunked()[:-5].replace(b"chunked", b"identity") + b"plain",
    "unknown coding": chunked()[:-5].replace(b"chunked", b"rot13") + b"plain",
}


@pytest.mark.parametrize("algorithm", ["sha1", "sha256", "blake3"])
@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_is_indexed_as_from_its_file(tmp_path: Path, name: str, algorithm: str) -> None:
    writing = recorder(tmp_path, digest=algorithm)
    for number, truncated in enumerate((None, Truncation.TIME, None)):
        url = f"http://example.org/{number % 2}"
        capture = exchange(tmp_path, ANSWERS[name], url=url, truncated=truncated)
        writing.record(capture, item_facts=LINKED)  # the third is a revisit where that makes sense
    writing.close()
    assert_indexed(tmp_path)


@pytest.mark.parametrize("name", ["usual", "redirect", "no type", "folded type", "large", "chunked"])
def test_for_most_captures_nothing_is_read_again(tmp_path: Path, name: str) -> None:
    capture, place = exchange(tmp_path, ANSWERS[name]), Place("x.warc.gz", 5, 10)
    assert response_line(capture, "sha1:X", told=name != "chunked", place=place)
    assert revisit_line(capture, "sha1:X", place)


@pytest.mark.parametrize(
    "url",
    [
        "HTTP://Example.ORG/x",
        "https://example.org:443/a%20b?b=1&a=2#x",
        "http://example.org/a b",
        "http://example.org/ä",
        "http://bücher.example/",
        "http://[2001:db8::1]/",
        "http://192.0.2.7:8080/\x7f",
        "<http://example.org/>",
        'http://example.org/"quoted"\\',
        "ftp://example.org/file",
    ],
)
@pytest.mark.parametrize("received", [ANSWERS["usual"], ANSWERS["chunked"]])
def test_an_odd_address_is_indexed_as_from_its_file(tmp_path: Path, url: str, received: bytes) -> None:
    writing = recorder(tmp_path)
    writing.record(exchange(tmp_path, received, url=url), item_facts=LINKED)
    writing.close()
    assert_indexed(tmp_path)


@pytest.mark.parametrize("metadata", [True, False])
def test_names_forms_and_unchanged_pages_are_indexed(tmp_path: Path, metadata: bool) -> None:
    earlier = tmp_path / "earlier.cdxj"
    earlier.write_text(
        'org,example)/old 20250102030405 {"url": "http://example.org/old", "mime": "image/png", '
        '"status": "200", "digest": "sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N", "filename": "x.warc.gz"}\n'
    )
    writing = recorder(
        tmp_path, metadata=metadata, digest_index=[str(earlier)], conditional_requests=True, duplicates="url"
    )
    for name in ("example.org", "b\u00fccher.example", "odd name"):
        writing.record_names(DnsAnswer(name, "192.0.2.53:53", STARTED, 0.1, b"20261115073001\n"))
    writing.record(exchange(tmp_path, message(b"x"), request=POST), item_facts=LINKED)
    writing.record(exchange(tmp_path, message(b"x"), request=b""), item_facts=LINKED)
    unchanged = message(b"", status="304 Not Modified", fields="")
    for url in ("http://example.org/old", "http://example.org/never-seen"):
        writing.record(exchange(tmp_path, unchanged, url=url), item_facts=LINKED)
    writing.close()
    assert_indexed(tmp_path)
    (lines,) = (path.read_text() for path in tmp_path.glob("*.warc.gz.cdxj"))
    assert lines.count("warc/revisit") == 1
    assert lines.count('"dns:') == 3


def test_many_captures_in_many_files_are_indexed(tmp_path: Path) -> None:
    chance = random.Random(6)
    writing = recorder(tmp_path, max_file_bytes=20_000)
    small = [answer for answer in ANSWERS.values() if len(answer) < 10_000]
    for number in range(400):
        url = f"http://www{number % 7}.example.org/{chance.randrange(100)}"
        started = STARTED + timedelta(seconds=number / 3)
        capture = exchange(tmp_path, chance.choice(small), url=url, started=started)
        writing.record(capture, item_facts=LINKED)
    writing.close()
    assert assert_indexed(tmp_path) > 5


def test_a_file_without_a_capture_has_an_empty_index(tmp_path: Path) -> None:
    index = FileIndex()
    writer = indexed_writer(tmp_path, index)
    writer.write(metadata(STARTED, b"via: x\r\n", target_uri="http://example.org/"))
    path = writer.seal()
    assert path is not None
    assert companion_of(path).read_bytes() == b""
    assert_indexed(tmp_path)


def test_records_that_nobody_told_of_are_read_from_the_file(tmp_path: Path) -> None:
    index = FileIndex()
    writer = indexed_writer(tmp_path, index)
    for number in range(20):
        url = f"http://example.org/{number}"
        begin = writer.write(response(url, STARTED, message(b"x")))[0].offset
        if number % 7 == 3:
            index.add(None, begin, writer.offset)
        elif number % 3 == 0:
            index.add(b"known %d" % number, begin, writer.offset)
    writer.write(resource("metadata://example.org/last", STARTED, b"x", "text/plain"))
    path = writer.seal()
    assert path is not None
    lines = companion_of(path).read_text().splitlines()
    known = [line for line in lines if line.startswith("known")]
    assert sorted(known) == sorted(f"known {number}" for number in range(0, 20, 3) if number % 7 != 3)
    assert len(lines) == 21


def test_the_file_that_describes_a_crawl_is_indexed(tmp_path: Path) -> None:
    log = tmp_path / "crawl.log"
    log.write_text("a line\n" * 1000)
    warc = MetadataWarc(tmp_path, "job-7", [("software", "test")])
    warc.add("setup", "order.json", b"{}", "application/json")
    path = warc.write([Part("logs", log)], [("x.warc.gz", b"lines")])
    assert path is not None
    assert assert_indexed(tmp_path) == 1
    assert len(companion_of(path).read_text().splitlines()) == 3


def test_an_index_whose_file_was_never_sealed_is_made_anew(tmp_path: Path) -> None:
    writing = recorder(tmp_path)
    recorded = writing.record(exchange(tmp_path, message(b"x")), item_facts=LINKED)
    (tmp_path / f"{recorded.filename}.cdxj").write_bytes(b"of an earlier life\n")
    writing.close()
    assert_indexed(tmp_path)


def indexed_writer(folder: Path, index: FileIndex) -> RotatingWriter:
    return RotatingWriter(
        folder,
        Naming("x-{time}-{serial}"),
        now,
        describe=lambda name, moment: warcinfo(moment, [("software", "test")], filename=name),
        sealing=index.write,
    )
