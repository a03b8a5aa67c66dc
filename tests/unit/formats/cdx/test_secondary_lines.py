"""PATH, `.loc` and ZipNum lines, and the merging of sorted files."""

import os
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armarium.formats.cdx import BadLine, Directive, Fault
from armarium.formats.cdx.index import distinct, is_sorted, merge
from armarium.formats.cdx.parsing import BlockLine, PathLine, parse_block_line, parse_path_line

words = st.text(st.characters(codec="utf-8", exclude_categories=("Z", "C")), min_size=1, max_size=30)


def test_a_path_line_with_tabs_has_several_places() -> None:
    line = parse_path_line(b"a.warc.gz\t/one/a.warc.gz\thttp://two.example/a b.warc.gz\n")
    assert line == PathLine("a.warc.gz", ("/one/a.warc.gz", "http://two.example/a b.warc.gz"))


def test_a_path_line_with_a_space_has_one_place_that_may_have_spaces() -> None:
    line = parse_path_line(b"IA-001102 /net/storage node/IA-001102.arc.gz")
    assert line == PathLine("IA-001102", ("/net/storage node/IA-001102.arc.gz",), " ")


@pytest.mark.parametrize(
    "raw", [b"", b"\n", b"onlyname", b"name\t", b"\t/place", b"name \n", b"x" * (1 << 21)]
)
def test_a_path_line_without_name_or_place_is_bad(raw: bytes) -> None:
    assert isinstance(parse_path_line(raw), BadLine)


@given(words, st.lists(words, min_size=1, max_size=4))
def test_any_path_line_is_read_as_it_was_written(name: str, places: list[str]) -> None:
    for line in (PathLine(name, tuple(places)), PathLine(name, (places[0],), " ")):
        assert parse_path_line(line.to_bytes()) == line


def test_a_zipnum_line_says_where_its_block_lies() -> None:
    raw = b"com,example)/ 20140127171200\tzipnum\t0\t275\t1"
    line = parse_block_line(raw + b"\n")
    assert line == BlockLine("com,example)/ 20140127171200", 0, 275, "zipnum", 1)
    assert line.to_zipnum() == raw


def test_a_wacz_index_says_the_same_in_json() -> None:
    meta = parse_block_line(b'!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}')
    assert isinstance(meta, Directive)
    raw = b'org,iana)/ 20140126200624 {"offset": 0, "length": 641, "digest": "sha256:ab"}'
    line = parse_block_line(raw)
    assert line == BlockLine("org,iana)/ 20140126200624", 0, 641, digest="sha256:ab")
    assert line.to_wacz() == raw


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        (b"", Fault.EMPTY),
        (b"k 2020\tpart\t0", Fault.COLUMNS),
        (b"k 2020\tpart\t0\tx", Fault.NUMBER),
        (b"k 2020\tpart\t0\t-5", Fault.NUMBER),
        (b'k 2020 {"offset": 0}', Fault.NUMBER),
        (b" CDX N b a", Fault.COLUMNS),
        (b"\t" * (1 << 21), Fault.TOO_LONG),
    ],
)
def test_a_faulty_block_line_is_named(raw: bytes, fault: Fault) -> None:
    line = parse_block_line(raw)
    assert isinstance(line, BadLine)
    assert line.fault == fault


@given(words, words, st.integers(0, 10**12), st.integers(0, 10**9), st.none() | st.integers(0, 10**9))
def test_any_block_line_is_read_as_it_was_written(
    key: str, part: str, offset: int, length: int, number: int | None
) -> None:
    zipnum = BlockLine(f"{key} 20200101000000", offset, length, part, number)
    assert parse_block_line(zipnum.to_zipnum()) == zipnum
    if key[0] not in "!@#":
        wacz = BlockLine(f"{key} 20200101000000", offset, length, digest="sha256:00")
        assert parse_block_line(wacz.to_wacz()) == wacz


lines = st.lists(
    st.binary(max_size=8).filter(lambda line: b"\n" not in line and b"\r" not in line), max_size=20
)


@given(st.lists(lines, max_size=4))
def test_merged_lines_are_those_of_a_set_in_order(sources: list[list[bytes]]) -> None:
    merged = list(merge(*(sorted(source) for source in sources)))
    assert merged == sorted({line for source in sources for line in source})
    assert is_sorted(merged)


def test_merging_agrees_with_sort_in_the_c_locale() -> None:
    # Upper before lower case, "!" before ")", bytes of UTF-8 last: what other locales sort otherwise.
    sources = [[b"B)/ 2", b"a!/ 1", b"a)/ 1", b"a)/ 1"], [b"a)/ 1", b"a)/\xc3\xa9 1", b"b)/ 3"]]
    given_lines = b"".join(line + b"\n" for source in sources for line in source)
    environment = {**os.environ, "LC_ALL": "C"}
    sort = subprocess.run(["sort", "-u"], input=given_lines, capture_output=True, env=environment, check=True)
    assert list(merge(*map(sorted, sources))) == sort.stdout.splitlines()


def test_line_ends_do_not_make_lines_different() -> None:
    assert list(distinct([b"a\n", b"a", b"b\r\n", b"b"])) == [b"a", b"b"]
    assert not is_sorted([b"b", b"a"])
