"""The documentation is true: links lead somewhere; commands, settings, packages are those of the source."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from armarium.accounts.model import Permission
from armarium.cli.main import app
from armarium.server.assembly import SECTIONS, TASK_KINDS
from armarium.settings.section import keys_of

CHECKOUT = Path(__file__).parents[2]
SOURCE = CHECKOUT / "src" / "armarium"
PAGES = [*sorted(CHECKOUT.glob("*.md")), *sorted((CHECKOUT / "docs").rglob("*.md"))]
PACKAGES = sorted(folder.parent.name for folder in SOURCE.glob("*/__init__.py"))

LINK = re.compile(r"!?\[[^\]]*\]\(<?([^)\s>]+)>?\)")
FENCE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")
# `./run` and the path of an installed command are the command armarium, too; an account of that name is not.
COMMAND = re.compile(r"(?:(?:^ *|[`(]|/bin/)armarium|\./run)((?: +[^\s`|)>]+)+)", re.MULTILINE)
DOTTED = re.compile(r"[a-z][a-z0-9_]*\.[a-z][a-z0-9_-]*")
#: Commands that the plan names, and that ARCHITECTURE.md and the glossary call planned.
PLANNED = {"collector", "access"}
FILE_ENDINGS = (
    ".md",
    ".py",
    ".toml",
    ".json",
    ".html",
    ".log",
    ".lock",
    ".txt",
    ".svg",
    ".pid",
    ".po",
    ".mo",
    ".sh",
)


def written(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def name_of(page: Path) -> str:
    return page.relative_to(CHECKOUT).as_posix()


def anchors(page: Path) -> set[str]:
    """The anchors that a forge gives to headings: small letters, hyphens for spaces, no other signs."""
    headings = re.findall(r"^#+ +(.+?) *$", FENCE.sub("", written(page)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(page: Path) -> Iterator[str]:
    for target in LINK.findall(FENCE.sub("", written(page))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path) if path else page
        if not file.exists():
            yield f"{target}: no such file"
        elif anchor and anchor not in anchors(file):
            yield f"{target}: no such heading"


def unknown_commands(text: str) -> Iterator[str]:
    for words in COMMAND.findall(text):
        if (unknown := first_unknown(words.split())) is not None:
            yield f"armarium{words}: there is no command {unknown}"


def first_unknown(words: list[str]) -> str | None:
    """The first word that should be a command and is none; options and placeholders are passed over."""
    command: Any = typer.main.get_command(app)
    for word in words:
        known = getattr(command, "commands", None)
        if known is None or word.startswith(("-", "#", "&", "%", "…")) or word.isupper():
            return None
        if word not in known:
            return None if word in PLANNED and command.name == "armarium" else word
        command = known[word]
    return None


def unknown_keys(text: str) -> Iterator[str]:
    keys = {f"{key.section}.{key.name}" for section in SECTIONS for key in keys_of(section)}
    sections = {section.section_name for section in SECTIONS}
    others = {permission.value for permission in Permission} | {kind.name for kind in TASK_KINDS}
    for code in CODE.findall(FENCE.sub("", text)):
        name = code.partition(" = ")[0]
        if not DOTTED.fullmatch(name) or name.endswith(FILE_ENDINGS) or name in others:
            continue
        if name.partition(".")[0] in sections and name not in keys:
            yield f"`{code}` is not a setting"


def commands_in(text: str) -> str:
    """Only code: in prose "armarium" may be followed by any word."""
    return "\n".join([*FENCE.findall(text), *(f"`{code}`" for code in CODE.findall(FENCE.sub("", text)))])


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    assert list(broken_links(page)) == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_command_that_is_mentioned_exists(page: Path) -> None:
    assert list(unknown_commands(commands_in(written(page)))) == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_setting_that_is_mentioned_exists(page: Path) -> None:
    assert list(unknown_keys(written(page))) == []


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_has_its_paragraph_in_the_architecture(package: str) -> None:
    paragraphs = re.findall(r"^\*\*`([a-z]+)`\*\* ", written(CHECKOUT / "ARCHITECTURE.md"), re.MULTILINE)
    assert package in paragraphs, f"write a paragraph that begins with **`{package}`**"


@pytest.mark.parametrize("folder", ["how-to", "reference", "decisions"])
def test_every_page_is_listed_in_the_index_of_its_folder(folder: str) -> None:
    index = CHECKOUT / "docs" / folder / "README.md"
    listed = set(LINK.findall(written(index)))
    assert {page.name for page in index.parent.glob("*.md")} - listed == {"README.md"}


def test_a_command_that_does_not_exist_is_found() -> None:
    text = (
        "`armarium accounts remove ada`, `./run settings show`, `armarium --home x nonsense`, `armarium up`"
    )
    assert list(unknown_commands(text)) == ["armarium accounts remove ada: there is no command remove"]


def test_a_setting_that_does_not_exist_is_found() -> None:
    text = "`web.prot`, `web.port`, `web.port = 80`, `notify.send`, `settings.md`, `logs.colour = true`"
    assert list(unknown_keys(text)) == [
        "`web.prot` is not a setting",
        "`logs.colour = true` is not a setting",
    ]


def test_a_link_to_nowhere_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# One heading\n[a](missing.md) [b](#one-heading) [c](page.md#two) [d](https://x.example)\n"
    )
    assert list(broken_links(page)) == ["missing.md: no such file", "page.md#two: no such heading"]
