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
from tests.unit.formats.warc.samples import record

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


def broken() -> dict[str, bytes]:
    """Packages in which nothing can be read, for different reasons."""
    packed = wacz(packed=True)
    data = packed.index(b"archive/data.warc") + len("archive/data.warc")
    return {
        "cut": wacz()[:-30],
        "nameless": wacz({**FILES, "~": b""}).replace(b"~", b"\0"),
        "rotten": packed[:data] + bytes(20) + packed[data + 20 :],
        "words": b"PK\x03\x04 and then words",
    }


@pytest.mark.parametrize("damage", list(broken()))
def test_a_broken_package_is_named_and_the_others_are_read(tmp_path: Path, damage: str) -> None:
    bad, gone, good = tmp_path / "a.wacz", tmp_path / "gone.warc", tmp_path / "z.wacz"
    bad.write_bytes(broken()[damage])
    good.write_bytes(wacz())
    (tmp_path / "index").mkdir()
    heard: dict[str, tuple[int, int]] = {}

    def hear(file: Path, lines: int, problems: list[str]) -> None:
        heard[file.relative_to(tmp_path).parts[0]] = lines, len(problems)

    assert LooseFiles([bad, gone, good], tmp_path / "index", hear).lines == 2
    assert heard == {bad.name: (0, 1), gone.name: (0, 1), good.name: (2, 0)}
    seen = {"ls": str(good), "index": URL, "stats": "Records  2", "validate": str(good)}
    for command, what in seen.items():
        output = told(command, bad, good, code=1)
        assert "cannot be read. " in output, command
        assert what in output, command


def test_a_list_that_cannot_be_unpacked_is_a_fault_of_its_package(package: Path) -> None:
    package.write_bytes(wacz(packed=True).replace(b"datapackage.json", b"datapackage.jsox", 1))
    assert "datapackage.json cannot be read" in told("validate", package, code=1)


def test_files_of_one_name_do_not_answer_for_each_other(tmp_path: Path) -> None:
    (tmp_path / "index").mkdir()
    files = []
    for number, name in enumerate(("2-data.warc", "data.warc", "c/data.warc", "a/p.wacz", "b/p.wacz")):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        warc = record(uri=f"http://example.org/{number}" + "0" * number)
        path.write_bytes(wacz({"archive/data.warc": warc}, packed=True) if "wacz" in name else warc)
        files.append(path)
    archive = LooseFiles(files, tmp_path / "index")
    for number in range(len(files)):
        url = f"http://example.org/{number}" + "0" * number
        [line] = archive.captures(WHOLE).search(Query(url)).lines
        assert archive.record(str(line.filename), line.offset or 0, line.length).target_uri == url


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
