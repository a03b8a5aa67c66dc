"""Imports: whatever form the lines had, what can be read comes in, and what cannot is told."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armarium.formats.cdx import CdxLine, parse_line
from armarium.index.exchange import ImportReport, export_zipnum, import_index
from armarium.index.exchange.importing import imported_lines
from armarium.index.runs import Run
from armarium.index.runs.folder import FolderPlace
from tests.unit.index.captures import captures


def imported(path: Path, content: bytes, *, rekey: bool = False) -> tuple[list[CdxLine], ImportReport]:
    path.write_bytes(content)
    report = ImportReport()
    lines = [parse_line(line) for line in imported_lines(path, report, rekey=rekey)]
    return [line for line in lines if isinstance(line, CdxLine)], report


def test_dates_to_the_millisecond_become_those_that_addresses_have(tmp_path: Path) -> None:
    line = b'com,example)/ 20200101000000123 {"url": "http://example.com/"}'
    (found,), report = imported(tmp_path / "x.cdxj", line)
    assert (found.timestamp, report.rekeyed) == ("20200101000000", 0)


@pytest.mark.parametrize(
    ("line", "key", "url"),
    [
        # The BnF's first index: a host in place of the address.
        (
            "dryswamp.edu:80/index.html 19961104142103 www.dryswamp.edu text/html 200 7c08 99552170 IA-01",
            "edu,dryswamp)/index.html",
            "http://www.dryswamp.edu/index.html",
        ),
        (
            "dryswamp.edu:8080/a 19961104142103 dryswamp.edu text/html 200 7c08 99552170 IA-001102",
            "edu,dryswamp:8080)/a",
            "http://dryswamp.edu:8080/a",
        ),
        # OpenWayback without SURT.
        (
            "example.com/a 20200101000000 http://www.example.com/A text/html 200 AB - 7 f.arc.gz",
            "com,example)/a",
            "http://www.example.com/A",
        ),
        # Heritrix spells the same with scheme and another comma.
        (
            'http://(com,example,)/a 20200101000000 {"url": "http://example.com/a"}',
            "com,example)/a",
            "http://example.com/a",
        ),
        # NetarchiveSuite, without a key.
        (
            "http://example.com/a 10.0.0.1 20200101000000 text/html 42 f.arc 7 7c08",
            "com,example)/a",
            "http://example.com/a",
        ),
        # A request's body is part of the key, which then is not that of the address.
        (
            'com,example)/a?__wb_method=post&x=1 20200101000000 {"url": "http://example.com/a"}',
            "com,example)/a?__wb_method=post&x=1",
            "http://example.com/a",
        ),
        ('dns:example.com 20200101000000 {"url": "dns:example.com"}', "dns:example.com", "dns:example.com"),
    ],
)
def test_lines_get_the_key_by_which_they_are_found(tmp_path: Path, line: str, key: str, url: str) -> None:
    (found,), report = imported(tmp_path / "x.cdx", line.encode())
    assert (found.key, found.url) == (key, url)
    assert report.rekeyed == (not line.startswith(key))


def test_every_line_gets_our_key_on_demand(tmp_path: Path) -> None:
    line = b'com,example,www)/ 20200101000000 {"url": "http://www.example.com/"}'
    (kept,), _ = imported(tmp_path / "x.cdxj", line)
    (rekeyed,), _ = imported(tmp_path / "x.cdxj", line, rekey=True)
    assert (kept.key, rekeyed.key) == ("com,example,www)/", "com,example)/")


def test_the_offset_of_a_file_that_is_not_packed_is_its_offset(tmp_path: Path) -> None:
    (found,), _ = imported(
        tmp_path / "x.cdx", b"http://a.dk/ 10.0.0.1 20200101000000 text/html 42 f.arc 77 7c08"
    )
    assert found.offset == 77


def test_dates_become_digits_so_that_they_sort(tmp_path: Path) -> None:
    (found,), _ = imported(
        tmp_path / "x.cdx", b"com,a)/ 2020-01-31T12:00:00Z http://a.com/ text/html 200 - 7 f\n"
    )
    assert found.timestamp == "20200131120000"


def test_bad_lines_are_counted_by_their_reasons_and_told(tmp_path: Path) -> None:
    content = b"\n".join(
        [
            b" CDX N b a m s k r M S V g",
            b"com,a)/ 20200101000000 http://a.com/ text/html 200 AB - - 10 20 f.warc",
            b"com,a)/ 20201399000000 http://a.com/ text/html 200 AB - - 10 20 f.warc",
            b"com,a)/ 20200101000000 {broken",
            b"com,a)/ 20200101000000 http://a.com/ text/html 200 AB - - ten 20 f.warc",
            b"",
            b'20200101000000 {"mime": "text/html"}',
            b"# a remark",
        ]
    )
    lines, report = imported(tmp_path / "x.cdx", content)
    assert len(lines) == report.taken == 1
    assert report.bad == {"timestamp": 1, "json": 1, "number": 1, "address": 1}
    assert [(each.line, each.reason) for each in report.complaints] == [
        (3, "timestamp"),
        (4, "json"),
        (5, "number"),
        (7, "address"),
    ]
    assert all(each.file == "x.cdx" and each.message for each in report.complaints)


def test_a_cut_gzip_file_gives_what_is_whole(tmp_path: Path) -> None:
    lines = captures(2000)
    packed = gzip.compress(b"\n".join(lines))
    found, report = imported(tmp_path / "x.cdxj.gz", packed[: len(packed) // 2])
    assert 100 < len(found) < len(lines)
    assert report.bad["gzip"] == 1


def test_a_line_without_end_is_left_out_and_the_next_one_is_read(tmp_path: Path) -> None:
    line = captures(1)[0]
    found, report = imported(tmp_path / "x.cdxj", b"x" * 3_000_000 + b"\n" + line)
    assert len(found) == 1
    assert report.bad == {"too-long": 1}


def test_a_cluster_without_a_block_gives_the_others(tmp_path: Path) -> None:
    lines = captures(1000)
    export_zipnum(lines, tmp_path, "part", lines_in_block=100)
    with (tmp_path / "part.cdx.gz").open("r+b") as file:
        file.write(b"????????????")
    (tmp_path / "part.loc").unlink()
    _, report = import_index([tmp_path / "part.idx"], tmp_path / "run")
    assert list(Run(FolderPlace(tmp_path), "run").scan()) == lines[100:]
    assert report.bad == {"cluster": 1}


def test_several_files_become_one_run(tmp_path: Path) -> None:
    lines = captures(600)
    paths = [tmp_path / "a.cdxj", tmp_path / "b.cdxj.gz"]
    paths[0].write_bytes(b"\r\n".join(lines[::2]))
    paths[1].write_bytes(gzip.compress(b"\n".join(lines[1::2] + lines[:9])))
    facts, _ = import_index(paths, tmp_path / "run", memory_bytes=50_000)
    assert facts.lines == len(lines)
    assert list(Run(FolderPlace(tmp_path), "run").scan()) == lines


@given(
    st.lists(
        st.binary(max_size=60) | st.text(" a,)/2{}\"':\t\n!CDXNb", max_size=60).map(str.encode), max_size=20
    )
)
@settings(max_examples=30, deadline=None)
def test_no_bytes_are_fatal(tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]) -> None:
    folder = tmp_path_factory.mktemp("import")
    for name in ("x.cdx", "x.idx", "x.cdx.gz"):
        (folder / name).write_bytes(b"\n".join(lines))
        facts, report = import_index([folder / name], folder / "run")
        assert facts.lines <= report.taken <= report.read
