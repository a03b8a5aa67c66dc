"""The generated reference pages are what the source says, and the source says enough to generate them."""

import runpy
from pathlib import Path
from typing import Any

import pytest

from armarium.accounts.model import Permission, Role
from armarium.server.assembly import SECTIONS
from armarium.settings import Section, load
from armarium.settings.section import Key, help_of, keys_of

GENERATOR = Path(__file__).parents[2] / "tools" / "generate_reference.py"
SOURCE = Path(__file__).parents[2] / "src" / "armarium"
KEYS = [key for section in SECTIONS for key in keys_of(section)]


@pytest.fixture(scope="module")
def generator() -> dict[str, Any]:
    return runpy.run_path(str(GENERATOR))


def test_every_generated_page_is_up_to_date(generator: dict[str, Any]) -> None:
    outdated = generator["stale"]()
    assert not outdated, f"{', '.join(outdated)} differ from the source. Run: {generator['COMMAND']}"


def test_the_generator_writes_what_is_missing_and_then_finds_nothing_to_do(
    generator: dict[str, Any], tmp_path: Path
) -> None:
    assert generator["write"](tmp_path) == list(generator["PAGES"])
    assert generator["write"](tmp_path) == []


def test_a_page_changed_by_hand_is_found(generator: dict[str, Any], tmp_path: Path) -> None:
    generator["write"](tmp_path)
    page = tmp_path / "docs/reference/settings.md"
    page.write_text(page.read_text(encoding="utf-8") + "One more line.\n", encoding="utf-8")
    assert generator["stale"](tmp_path) == ["docs/reference/settings.md"]


def test_the_page_of_commands_has_every_command_with_its_help(generator: dict[str, Any]) -> None:
    page = generator["PAGES"]["docs/reference/command-line.md"]()
    for command in ("armarium", "armarium up", "armarium settings check", "armarium accounts link"):
        assert f"\n## `{command}`\n\n```text\nUsage: {command} " in page


def test_the_page_of_permissions_has_every_role_and_permission(generator: dict[str, Any]) -> None:
    page = generator["PAGES"]["docs/reference/permissions.md"]()
    assert [word for word in (*Role, *Permission) if f"\n| `{word}` |" not in page] == []


def test_the_page_of_the_api_has_operations_with_their_permission_and_choices(
    generator: dict[str, Any],
) -> None:
    page = generator["PAGES"]["docs/reference/api.md"]()
    assert "### `POST /api/accounts`\n\nCreate an account. Permission: `accounts.manage`.\n" in page
    assert "| Role | `administrator`, " in page


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_every_key_has_help_that_ends_with_a_full_stop(key: Key) -> None:
    assert key.help.endswith("."), f"{key}: write help of complete sentences"


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.section_name)
def test_every_section_has_help_that_ends_with_a_full_stop(section: type[Section]) -> None:
    assert help_of(section).endswith("."), f"{section.__name__}: write a docstring of complete sentences"


def test_the_defaults_of_all_sections_are_accepted_by_their_own_limits(tmp_path: Path) -> None:
    settings = load(SECTIONS, home=tmp_path, environ={})
    assert list(settings.sections) == list(SECTIONS)


def test_every_class_of_settings_in_the_source_is_among_the_sections() -> None:
    modules = [
        module for module in SOURCE.rglob("*.py") if "Section, name=" in module.read_text(encoding="utf-8")
    ]
    known = {section.__module__ for section in SECTIONS}
    names = {".".join(module.relative_to(SOURCE.parent).with_suffix("").parts) for module in modules}
    forgotten = names - known - {"armarium.settings.section"}  # whose docstring shows an example
    assert not forgotten, f"{', '.join(sorted(forgotten))}: add the section to SECTIONS, or nobody can set it"
