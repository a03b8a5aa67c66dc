"""One index for many files, divided among them."""

import gzip
from pathlib import Path

import pytest

from armarium.core.errors import Refused
from armarium.storage.intake import dividing
from armarium.storage.intake.dividing import divide

LINES = [
    f'com,a)/{number:03} 20260102030405 {{"filename": "{"ab"[number % 2]}.warc.gz", "offset": "{number}"}}\n'
    for number in range(300)
]


def test_every_line_goes_to_its_file_in_the_same_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dividing, "MOST_OPEN", 1)  # so that files are closed and opened again
    cdx = tmp_path / "all.cdxj.gz"
    cdx.write_bytes(gzip.compress("".join(LINES).encode()))

    divide(cdx, {"a.warc.gz"}, tmp_path / "parts")
    # An import that is asked once more does not add to what is there.
    made, foreign = divide(cdx, {"a.warc.gz"}, tmp_path / "parts")

    assert made == {"a.warc.gz": tmp_path / "parts" / "a.warc.gz.cdxj"}
    assert made["a.warc.gz"].read_text() == "".join(LINES[::2])
    assert foreign == ["b.warc.gz"]


def test_an_index_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    broken = tmp_path / "all.cdx.gz"
    broken.write_bytes(gzip.compress("".join(LINES).encode())[:-20])

    with pytest.raises(Refused, match="cannot be read"):
        divide(broken, {"a.warc.gz"}, tmp_path / "parts")
