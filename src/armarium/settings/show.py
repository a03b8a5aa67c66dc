"""The settings in force, for people and for programs; secrets are never shown."""

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from armarium.settings.load import Settings
from armarium.settings.plain import Plain, as_toml, plain
from armarium.settings.reference import kind_words
from armarium.settings.section import Key, Section, help_of, keys_of


@dataclass(frozen=True)
class Row:
    section: str
    key: str
    value: Plain  # as JSON would have it
    origin: str  # "default", "armarium.toml:12", "ARMARIUM_WEB_PORT"
    variable: str
    help: str


def rows(settings: Settings) -> list[Row]:
    return [
        Row(
            section=key.section,
            key=key.name,
            value=plain(getattr(values, key.name)),
            origin=str(settings.origin(section, key.name)),
            variable=key.variable,
            help=key.help,
        )
        for section, values in settings.sections.items()
        for key in keys_of(section)
    ]


def as_json(settings: Settings) -> dict[str, object]:
    return {
        "home": str(settings.home),
        "home_origin": str(settings.home_origin),
        "file": str(settings.file) if settings.file else None,
        "settings": [asdict(row) for row in rows(settings)],
    }


def table(settings: Settings) -> str:
    """Three columns of plain text: setting, value, origin."""
    lines = [("home", str(settings.home), str(settings.home_origin))]
    lines += [(f"{row.section}.{row.key}", written(row.value), row.origin) for row in rows(settings)]
    return _columns(lines)


def written(value: Plain) -> str:
    """A value for a table cell: on one line, and empty for none."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case list():
            return ", ".join(written(item) for item in value)
    return str(value)


def _columns(lines: Sequence[tuple[str, ...]]) -> str:
    widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
    padded = [[cell.ljust(width) for cell, width in zip(line, widths, strict=True)] for line in lines]
    return "".join("  ".join(line).rstrip() + "\n" for line in padded)


# --- A complete settings file with everything at its default and explained, to begin from.


WIDTH = 100

HEAD = """\
# Settings of Armarium.
#
# Every setting is here with its default, switched off by the # before it: remove the # and change the value.
# An environment variable, as named at each setting, has precedence over this file.
"""


def example(sections: Iterable[type[Section]]) -> str:
    """Explanations begin with "# ", settings with "#" alone, so that an editor can switch all on."""
    return HEAD + "".join(_section(section) for section in sections)


def _section(section: type[Section]) -> str:
    return f"\n\n{_comment(help_of(section))}[{section.section_name}]\n" + "".join(
        map(_key, keys_of(section))
    )


def _key(key: Key) -> str:
    facts = f"{kind_words(key).replace('`', '')}; {key.variable}"
    return f"\n{_comment(key.help)}{_comment(facts)}#{key.name} = {as_toml(key.default)}\n"


def _comment(text: str) -> str:
    return (
        textwrap.fill(text, WIDTH, initial_indent="# ", subsequent_indent="# ", break_long_words=False) + "\n"
    )
