"""One index for many files, divided among them."""

import gzip
from pathlib import Path

import pytest

from armarium.core.errors import Refused
from armarium.formats.wacz.package import Differs
from armarium.storage.intake import packages
from armarium.storage.intake.packages import METADATA, Unpacking, divide
from tests.unit.formats.wacz.samples import FILES, PAGES, WARC, wacz

LINES = [
    f'com,a)/{number:03} 20260102030405 {{"filename": "{"ab"[number % 2]}.warc.gz", "offset": "{number}"}}\n'
    for number in range(300)
]


def test_every_line_goes_to_its_file_in_the_same_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages, "MOST_OPEN", 1)  # so that files are closed and opened again
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


def test_paths_that_would_make_the_same_name_make_two_and_the_same_each_time(tmp_path: Path) -> None:
    path = tmp_path / "site.wacz"
    files = {"archive/a/b.warc": WARC, "archive/a-b.warc": WARC + b"2", f"archive/{METADATA}": b"theirs"}
    path.write_bytes(wacz(files))
    names = []
    for folder in (tmp_path / "one", tmp_path / "two"):
        with path.open("rb") as file:
            parts = dict(Unpacking(path, file, folder).parts())
        names.append([part.name for part in parts.values()])
        assert {inner: parts[inner].read_bytes() for inner in files} == files
        assert {part.name for part in folder.iterdir()} == set(names[-1])
    assert names[0] == names[1]
    assert names[0][:2] == ["site-a-b.warc", "site-7572f181-a-b.warc"]
    assert names[0][2] == f"site-{METADATA}"
    assert names[0][3].endswith(f"-{METADATA}")


def test_names_that_no_file_system_bears_are_shortened_and_stay_different(tmp_path: Path) -> None:
    path = tmp_path / f"{'s' * 240}.wacz"
    files = {"archive/" + "x" * 300 + end: WARC for end in ("1.warc.gz", "2.warc.gz")}
    path.write_bytes(wacz(files))
    with path.open("rb") as file:
        names = [part.name for _, part in Unpacking(path, file, tmp_path / "out").parts()]
    assert len(set(names)) == 3
    assert all(name.endswith(".warc.gz") for name in names)


@pytest.mark.parametrize("changed", [WARC, PAGES])
def test_bytes_that_read_otherwise_than_when_they_were_compared_are_not_taken(
    tmp_path: Path, changed: bytes
) -> None:
    path, folder = tmp_path / "site.wacz", tmp_path / "out"
    path.write_bytes(wacz())
    with path.open("rb", buffering=0) as file:
        unpacking = Unpacking(path, file, folder)
        assert unpacking.faults() == []
        path.write_bytes(path.read_bytes().replace(changed, changed[:-2] + b"XX"))
        with pytest.raises(Differs):
            list(unpacking.parts())
    assert {part.name for part in folder.iterdir()} <= {"site-data.warc"}


def test_bytes_that_are_known_not_to_be_as_listed_are_taken_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "site.wacz"
    path.write_bytes(wacz(listed={**FILES, "archive/data.warc": WARC + b"x"}))
    with path.open("rb") as file:
        unpacking = Unpacking(path, file, tmp_path / "out")
        assert len(unpacking.faults()) == 1
        assert dict(unpacking.parts())["archive/data.warc"].read_bytes() == WARC
