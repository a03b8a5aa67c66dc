"""WACZ packages wherever W/ARC files are read: by the commands, and for replay."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from armarium.access.model import WHOLE
from armarium.cli.warc import warc_commands
from armarium.core.errors import Refused
from armarium.formats.cdx.query import Query
from armarium.workflow.loose import LooseFiles
from armarium.workflow.packages import archives_in
from tests.unit.formats.wacz.samples import FILES, WARC, wacz

URL = "http://example.org/two"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    path = tmp_path / "a.wacz"
    path.write_bytes(wacz())
    return path


@pytest.mark.parametrize("packed", [False, True])
def test_captures_in_a_package_are_found_and_read_for_replay(tmp_path: Path, packed: bool) -> None:
    path, folder = tmp_path / "a.wacz", tmp_path / "index"
    path.write_bytes(wacz({"b.wacz": wacz()} if not packed else FILES, packed=packed))
    folder.mkdir()
    archive = LooseFiles([path], folder)
    [line] = archive.captures(WHOLE).search(Query(URL)).lines
    assert archive.lines == 2
    assert (line.filename, line.offset) == ("data.warc", WARC.rfind(b"WARC/1.1\r\n"))
    assert archive.record("data.warc", line.offset or 0, line.length).target_uri == URL
    assert b"".join(archive.record_pieces("data.warc", line.offset or 0, 8)) == b"WARC/1.1"


@pytest.mark.parametrize("packed", [False, True])
def test_a_warc_in_a_package_is_opened_where_it_lies(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / "a.wacz"
    path.write_bytes(wacz(packed=packed))
    [one] = archives_in(path)
    with one.open() as file:
        assert file.seekable()
        assert file.read() == WARC


def told(*words: object, code: int = 0) -> str:
    result = CliRunner().invoke(warc_commands, list(map(str, words)))
    assert result.exit_code == code, result.output
    return result.output


def test_every_command_looks_into_a_package(package: Path) -> None:
    inner = f"{package}/archive/data.warc"
    assert told("ls", package).startswith(f"{inner}:\n")
    assert told("ls", inner).count("response") == 2
    assert '"filename": "data.warc"' in told("index", package)
    assert told("cat", package).split() == WARC.decode().split()
    assert told("cat", package, "--url", URL, "--headers").count("WARC-Target-URI") == 1
    assert "Records  2" in told("stats", package)
    assert "valid WACZ" in told("validate", package, code=1)  # the samples are no valid WARC


def test_a_warc_in_a_package_may_have_any_name_and_a_package_without_one_says_so(package: Path) -> None:
    package.write_bytes(wacz({"archive/data": WARC}))
    assert told("index", package).count('"filename": "data"') == 2
    package.write_bytes(wacz({"pages/pages.jsonl": b"{}"}))
    assert "There is no W/ARC file in the package" in told("index", package, code=1)


def test_a_package_that_is_not_what_it_says_is_not_valid(package: Path) -> None:
    package.write_bytes(wacz(listed={**FILES, "archive/data.warc": b"other"}))
    assert "datapackage.json says 5" in " ".join(told("validate", package, code=1).split())


def test_a_file_that_is_not_in_the_package_is_named(package: Path) -> None:
    assert "no W/ARC file of this name" in told("ls", package / "archive" / "other.warc", code=1)
    package.write_bytes(b"PK\x03\x04 broken")
    assert "no ZIP file that can be read" in told("ls", package, code=1)
    with pytest.raises(Refused, match="no ZIP file"):
        archives_in(package)
