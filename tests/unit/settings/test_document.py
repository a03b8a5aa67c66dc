import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from armarium.settings.document import LARGEST, Document, parse, read
from armarium.settings.problems import Problem

FILE = Path("/srv/armarium.toml")


def sentence(content: bytes) -> str:
    problem = parse(content, FILE)
    assert isinstance(problem, Problem)
    return str(problem)


def test_a_valid_file_gives_its_tables_and_their_places() -> None:
    document = parse(b"\n[web]\nport = 1\n", FILE)
    assert isinstance(document, Document)
    assert document.tables == {"web": {"port": 1}}
    assert str(document.place("web", "port")) == "armarium.toml:3"


def test_a_byte_order_mark_and_line_ends_of_windows_are_accepted() -> None:
    document = parse(b"\xef\xbb\xbf[web]\r\nport = 1\r\n", FILE)
    assert isinstance(document, Document)
    assert str(document.place("web", "port")) == "armarium.toml:2"


def test_invalid_toml_is_reported_with_line_and_column() -> None:
    assert (
        sentence(b"[web]\nport 1\n")
        == "armarium.toml:2:6: This is not TOML: Expected '=' after a key in a key/value pair."
    )


def test_toml_that_stops_in_the_middle_is_reported_at_its_last_line() -> None:
    assert sentence(b"[web]\nport =").startswith(
        "armarium.toml:2: This is not TOML: Invalid value, and the file ends"
    )


def test_a_key_given_twice_is_reported() -> None:
    assert sentence(b"[web]\nport = 1\nport = 2\n").startswith(
        "armarium.toml:3:9: This is not TOML: Cannot overwrite"
    )


def test_a_byte_that_is_not_utf8_is_reported_with_its_line() -> None:
    expected = "armarium.toml:2: The byte 0xe9 is not UTF-8. Save the file in the encoding UTF-8."
    assert sentence(b"[web]\nhost = 'caf\xe9'\n") == expected


@pytest.mark.parametrize("value", [b"9" * 5000, b"[" * 100_000, b"{a=" * 50_000])
def test_a_value_too_long_or_too_deep_for_the_parser_is_reported(value: bytes) -> None:
    assert "This is not TOML" in sentence(b"a = " + value)


def test_what_was_written_is_not_repeated_when_it_is_not_toml() -> None:
    assert "hunter2" not in sentence(b'[mail]\npassword = "hunter2\n')


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    missing = tmp_path / "armarium.toml"
    expected = f"{missing}: There is no such settings file. Create it, or correct its name."
    assert str(read(missing)) == expected


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000, "/dev/zero", "/", "/dev/null/armarium.toml"])
def test_a_name_that_is_no_settings_file_is_reported(name: str) -> None:
    assert isinstance(read(Path(name)), Problem)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "This is not a file" in str(read(tmp_path / "pipe"))


def test_a_link_that_leads_in_a_circle_is_reported(tmp_path: Path) -> None:
    (tmp_path / "circle").symlink_to("circle")
    assert "cannot be read" in str(read(tmp_path / "circle"))


@pytest.fixture
def ordinary_user() -> Iterator[None]:
    """Root may read every file: step down for the length of a test."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    yield
    os.seteuid(user)


@pytest.fixture
def locked(tmp_path: Path) -> Path:
    file = tmp_path / "armarium.toml"
    file.touch(mode=0)
    return file


def test_a_file_without_permission_is_reported(locked: Path, ordinary_user: None) -> None:
    assert "Permission denied. Correct its permissions." in str(read(locked))


def test_a_file_much_too_large_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "harvest.warc"
    file.write_bytes(b"#" * (LARGEST + 1))
    assert "larger than 1 MiB" in str(read(file))
