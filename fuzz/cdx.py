"""Fuzzing of index lines and of POST bodies: no bytes may raise, hang, or come back changed.

python fuzz/cdx.py -max_total_time=600 -rss_limit_mb=200 fuzz/corpus/cdx
"""

import sys

import atheris

with atheris.instrument_imports(include=["armarium.formats.cdx"]):
    from armarium.formats.cdx import CDX11, CdxLine, Directive, Layout, parse_line
    from armarium.formats.cdx.parsing import BlockLine, PathLine, parse_block_line, parse_path_line
    from armarium.formats.cdx.requests import LONGEST_QUERY, request_body

CONTENT_TYPES = (
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json",
    "text/plain",
    "application/x-amf",
    "application/octet-stream",
)


def one_input(data: bytes) -> None:
    layout: Layout | None = None
    for raw in data.split(b"\n")[:50]:
        parsed = parse_line(raw, layout)
        if isinstance(parsed, Layout):
            layout = parsed
            assert parse_line(parsed.legend().encode("utf-8", "surrogateescape")) == parsed
        elif isinstance(parsed, CdxLine):
            _check_line(parsed)
        elif isinstance(parsed, Directive):
            assert parse_line(parsed.to_bytes()) == parsed
        path = parse_path_line(raw)
        assert not isinstance(path, PathLine) or parse_path_line(path.to_bytes()) == path
        block = parse_block_line(raw)
        if isinstance(block, BlockLine) and block.part:
            assert parse_block_line(block.to_zipnum()) == block
    if data:
        body = request_body("POST", CONTENT_TYPES[data[0] % len(CONTENT_TYPES)], data[1:])
        assert len(body.query) <= LONGEST_QUERY


def _check_line(line: CdxLine) -> None:
    again = parse_line(line.to_cdxj())
    assert b"\n" not in line.to_cdxj()
    assert line.to_cdx(CDX11).count(b" ") == len(CDX11) - 1
    if isinstance(again, CdxLine):
        assert again.to_cdxj() == line.to_cdxj()


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
