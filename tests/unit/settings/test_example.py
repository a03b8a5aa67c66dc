import re
import tomllib
from enum import StrEnum
from pathlib import Path
from typing import Literal

from pydantic import SecretStr

from armarium.settings import Section, key, load
from armarium.settings.show import example


class Robots(StrEnum):
    OBEY = "obey"


class AllSettings(Section, name="all"):
    """One key of every kind."""

    flag: bool = key(True, "Flag. " + "A long explanation. " * 20)
    whole: int = key(-1, "Whole.")
    number: float = key(1e22, "Number.")
    text: str = key('a "quoted" \\ text\nin two lines', "Text.")
    path: Path = key(Path("a b/c"), "Path.")
    choice: Literal["a", 3] = key(3, "Choice.")
    robots: Robots = key(Robots.OBEY, "Robots.")
    secret: SecretStr | None = key(None, "Secret.")
    several: list[str] = key(["Bücher", "x"], "Several.")
    perhaps: int | None = key(None, "Perhaps.")


class EmptySettings(Section, name="empty"):
    """A section that has no keys yet."""


SECTIONS = (AllSettings, EmptySettings)


def load_text(text: str, home: Path) -> AllSettings:
    (home / "armarium.toml").write_text(text, encoding="utf-8")
    return load(SECTIONS, home=home, environ={})[AllSettings]


def test_the_example_as_it_is_changes_nothing(tmp_path: Path) -> None:
    assert tomllib.loads(example(SECTIONS)) == {"all": {}, "empty": {}}
    assert load_text(example(SECTIONS), tmp_path) == AllSettings()


def test_the_example_with_every_key_switched_on_gives_the_defaults(tmp_path: Path) -> None:
    text = re.sub(r"^#(?=\S)", "", example(SECTIONS), flags=re.MULTILINE)
    assert set(tomllib.loads(text)["all"]) == set(AllSettings.model_fields)
    assert load_text(text, tmp_path) == AllSettings()


def test_every_key_is_explained_with_its_type_and_variable() -> None:
    assert "\n# Whole.\n# whole number; ARMARIUM_ALL_WHOLE\n#whole = -1\n" in example(SECTIONS)
    assert '\n# Perhaps.\n# whole number, may be empty; ARMARIUM_ALL_PERHAPS\n#perhaps = ""\n' in example(
        SECTIONS
    )


def test_explanations_are_wrapped() -> None:
    assert max(len(line) for line in example(SECTIONS).splitlines()) <= 110
