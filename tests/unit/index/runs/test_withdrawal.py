"""Which file a line leads to is said by its JSON, whatever its address looks like."""

import pytest

from armarium.formats.cdx.line import CdxLine
from armarium.index.runs.facts import filename_of, filenames_in, kept

FORGED = 'org,example)/?q="filename":"b.warc.gz"'


def line(key: str, **fields: object) -> bytes:
    return CdxLine(key, "20260101000000", fields).to_cdxj()


@pytest.mark.parametrize(
    "told",
    [
        line(FORGED, filename="a.warc.gz"),
        line('org,example)/,"filename":"b', filename="a.warc.gz"),
        line("org,example)/", url='http://example.org/{"filename": "b.warc.gz"}', filename="a.warc.gz"),
        line("org,example)/", note={"filename": "b.warc.gz"}, filename="a.warc.gz"),
        line("org,example)/", filename="a.warc.gz", note=[{"filename": "b.warc.gz"}]),
        b'org,example)/ 20260101000000 {"filename": "b.warc.gz", "filename": "a.warc.gz"}',
        b'org,example)/ 20260101000000 {"filename":"\\u0061.warc.gz"}',
    ],
)
def test_the_name_is_that_of_the_line_and_of_nothing_in_it(told: bytes) -> None:
    assert filename_of(told) == "a.warc.gz"
    assert filenames_in(told + b"\n" + told + b"\n") == {"a.warc.gz"}
    assert kept([told], {"a.warc.gz"}) == []
    assert kept([told], {"b.warc.gz"}) == [told]


@pytest.mark.parametrize(
    "told",
    [
        line(FORGED),
        line("org,example)/", note={"filename": "a.warc.gz"}),
        line("org,example)/", filename=7),
        b"org,example)/ 20260101000000",
        b'org,example)/ 20260101000000 {"filename": [',
    ],
)
def test_a_line_that_names_no_file_has_none(told: bytes) -> None:
    assert filename_of(told) is None
