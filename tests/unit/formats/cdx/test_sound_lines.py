"""Lines of our own index, read the short way."""

import pytest

from armarium.formats.cdx import CdxLine, parse_line
from armarium.formats.cdx.parsing import parse_sound_line


def test_a_sound_line_is_read_the_short_way_as_the_long_one_reads_it() -> None:
    fields = {"url": "http://library.example/ü", "status": "200", "offset": "7", "filename": "a.warc.gz"}
    line = CdxLine("example,library)/%C3%BC", "20260131120000", fields)
    assert parse_sound_line(line.to_cdxj()) == line == parse_line(line.to_cdxj())


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"key 2026",
        b"key 20260131120000 {",
        b"key 20260131120000 []",
        b"a b 20260131120000 {}",
        b"!meta {}",
    ],
)
def test_a_line_that_is_not_as_we_write_them_is_left_to_the_long_way(raw: bytes) -> None:
    assert parse_sound_line(raw) is None
