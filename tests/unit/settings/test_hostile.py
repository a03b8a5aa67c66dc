"""Whatever stands in the file or in the environment: settings, or one error for people; never a traceback."""

import random
from pathlib import Path
from typing import Literal

import pytest
from pydantic import SecretStr

from armarium.settings import Section, key, load
from armarium.settings.problems import WrongSettings


class AllSettings(Section, name="all"):
    """One key of every kind."""

    flag: bool = key(True, "Flag.")
    whole: int = key(1, "Whole.", ge=-5, lt=100)
    number: float = key(1.0, "Number.", gt=-5, le=1e9)
    text: str = key("", "Text.", max_length=50, pattern="^[^%]*$")
    path: Path = key(Path("x"), "Path.")
    choice: Literal["a", "b", 3] = key("a", "Choice.")
    secret: SecretStr | None = key(None, "Secret.", min_length=2)
    several: list[str] = key([], "Several.", max_length=4)
    numbers: list[int] | None = key(None, "Numbers.")
    perhaps: int | None = key(None, "Perhaps.", ge=0)


KEYS = list(AllSettings.model_fields)

VALUES = [
    "",
    "0",
    "-1",
    "1e400",
    "-1e400",
    "nan",
    "inf",
    "true",
    "True",
    "null",
    "None",
    "[]",
    "[[]]",
    "{}",
    "[1,",
    "[null]",
    "0x" + "f" * 10_000,
    "9" * 10_000,
    "1" * 4301,
    "[" * 20_000,
    "1979-05-27",
    "07:32:00",
    "1979-05-27T07:32:00Z",
    '""',
    '"8000"',
    "'8000'",
    '"\\u0000"',
    '"\\ud800"',
    '"\\U0010ffff"',
    '"%s %(x)s {} {0}"',
    '"' + "x" * 100_000 + '"',
    '"\\u001b[31mred"',
    '"\\n\\r"',
    "''''''",
    '"""\n[all]\n"""',
    "{a = {b = {c = 1}}}",
    "[{}, [], 1, 'x']",
    "~",
    "\\",
    "\udcff",
    "\x00",
    "\ufeff",
    "\u202e",
    "٣",
    "½",
    "1_000",
    "+1",
    "0o17",
    ".5",
    "5.",
    "on",
    "[::1]",
    "a,b,,c",
    ",",
]

FILES = [
    b"\x00",
    b"\xff\xfe[\x00a\x00",
    b"\xef\xbb\xbf",
    b"\xc3",
    b"\r",
    b"=",
    b"[",
    b"[]",
    b"[[]]",
    b"[all",
    b"all",
    b"[all]]",
    b"[all]\n[all]",
    b"[all]\nflag",
    b"[all]\nflag =",
    b"[all]\nflag = true true",
    b"[all.flag]",
    b"[[all.flag]]",
    b"all.flag.x = 1",
    b"'' = 1",
    b'[""]',
    b'"\\u001b[2J" = 1',
    b'["a\\nb"]',
    b'[all]\n"a\\nb" = 1',
    b'[all]\n"' + b"k" * 50_000 + b'" = 1',
    b"[" + b"a." * 5_000 + b"a]",
    b"a." * 3_000 + b"a = 1",
    b"all = []",
    b"all = [{flag = true}]",
    b"#" * 100_000,
    b"\n" * 100_000,
    b"[all]\nflag = false # \xf0\x9f\x93\x9a",
    b"%(x)s = 1",
    b'"%(x)s %s" = 1',
    b'[all]\n"%d" = 1',
    b"model_config = 1",
    b"[all]\nmodel_config = 1\nsection_name = 'x'",
    b"[all]\n__class__ = 1",
    b"[all]\nmodel_fields = {}",
]

VARIABLES = [
    "ARMARIUM_",
    "ARMARIUM__",
    "ARMARIUM_ALL",
    "ARMARIUM_ALL_",
    "ARMARIUM_ALL_SECTION_NAME",
    "ARMARIUM_\udcff",
    "ARMARIUM_" + "X" * 100_000,
    "ARMARIUM_ALL_FLAG\n",
    "ARMARIUM_%(x)s",
    "ARMARIUM_\x1b[2J",
    "ARMARIUM_HOME_",
    "ARMARIUM_ß",
]

HOMES = ["\udcff", "x" * 300, "x/" * 3000, "/dev/null", "/dev/null/x", "\n", " ", "~", "%s"]


def survives(folder: Path, content: bytes = b"", environ: dict[str, str] | None = None) -> None:
    (folder / "armarium.toml").write_bytes(content)
    _load(folder, environ or {})


def _load(home: Path | None, environ: dict[str, str]) -> None:
    try:
        assert repr(load([AllSettings], home=home, environ=environ))
    except WrongSettings as refused:
        _is_readable(refused)


def _is_readable(error: WrongSettings) -> None:
    text = str(error)
    assert text.encode("utf-8")
    assert len(text.splitlines()) == 1 + len(error.problems), "each problem is one line"
    assert all(line.isprintable() for line in text.splitlines())
    assert all(len(str(problem)) < 5000 for problem in error.problems)


@pytest.mark.parametrize("name", KEYS)
def test_every_hostile_value_for_this_key_is_accepted_or_refused_in_words(tmp_path: Path, name: str) -> None:
    for value in VALUES:
        survives(tmp_path, f"[all]\n{name} = {value}\n".encode("utf-8", "surrogateescape"))
        survives(tmp_path, environ={f"ARMARIUM_ALL_{name.upper()}": value})


def test_every_hostile_file_is_accepted_or_refused_in_words(tmp_path: Path) -> None:
    for content in FILES:
        survives(tmp_path, content)


def test_every_hostile_variable_is_refused_in_words(tmp_path: Path) -> None:
    for name in VARIABLES:
        survives(tmp_path, environ={name: "1"})


def test_every_hostile_name_of_a_folder_or_file_is_accepted_or_refused_in_words(tmp_path: Path) -> None:
    for name in HOMES:
        _load(None, {"ARMARIUM_HOME": name})
        _load(Path(name), {})
        _load(tmp_path, {"ARMARIUM_SETTINGS": name})
    _load(Path("a\0b"), {})


def test_a_good_file_with_bytes_changed_at_random_is_accepted_or_refused_in_words(tmp_path: Path) -> None:
    good = (
        b'[all]\nflag = true\ntext = "a"\nseveral = ["a", """b\n"""]\nchoice = 3 # c\n[other]\nx = {y = 1}\n'
    )
    chance = random.Random(7)
    for _ in range(1000):
        content = bytearray(good)
        for _ in range(chance.randrange(1, 6)):
            content[chance.randrange(len(content))] = chance.choice(b"[]{}=\"'\\#.,\n\r \t\x00\xff10at")
        survives(tmp_path, bytes(content))
