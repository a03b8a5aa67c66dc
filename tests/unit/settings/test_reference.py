from pathlib import Path
from typing import Literal

from pydantic import SecretStr

from armarium.settings import Section, key
from armarium.settings.show import reference


class WebSettings(Section, name="web"):
    """The pages
    and the API."""

    port: int = key(8080, "Port of the pages.", ge=1, le=65535)
    delay: float | None = key(None, "Seconds between requests.", gt=0)
    mode: Literal["a|b", "c"] = key("c", "This | that.")
    names: list[str] = key(["x", "y"], "Names.", min_length=1)
    store: Path = key(Path("a/b"), "Folder.")
    token: SecretStr | None = key(None, "Token.", max_length=9)


PAGE = reference([WebSettings])


def test_a_section_has_a_heading_and_its_help() -> None:
    assert "\n## [web]\n\nThe pages and the API.\n" in PAGE


def test_a_row_has_name_type_default_variable_and_help() -> None:
    assert (
        "| `port` | whole number, from 1 to 65535 | `8080` | `ARMARIUM_WEB_PORT` | Port of the pages. |"
        in PAGE
    )
    assert '| `names` | list of: text, not empty | `["x", "y"]` | `ARMARIUM_WEB_NAMES` | Names. |' in PAGE
    assert '| `store` | path | `"a/b"` |' in PAGE


def test_an_optional_key_says_so() -> None:
    assert "| `delay` | number, more than 0, may be empty | none |" in PAGE
    assert "| `token` | secret, at most 9 characters, may be empty | none |" in PAGE


def test_a_bar_does_not_break_the_table() -> None:
    row = next(line for line in PAGE.splitlines() if line.startswith("| `mode`"))
    assert row.replace("\\|", "").count("|") == 6


def test_the_page_is_the_same_every_time() -> None:
    assert reference([WebSettings]) == PAGE
