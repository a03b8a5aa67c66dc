"""The settings in force, for people and for programs; secrets are never shown."""

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from armarium.settings.kinds import (
    Choice,
    Flag,
    Kind,
    Location,
    Number,
    Optional,
    Secret,
    Several,
    Text,
    Whole,
)
from armarium.settings.load import DEFAULT_HOME, FILE_NAME, Settings
from armarium.settings.plain import Plain, as_toml, plain
from armarium.settings.section import FILE, HOME, Key, Section, help_of, keys_of

# --- The reference page of all settings, in Markdown, from their declarations.


REFERENCE_HEAD = f"""\
# Settings

<!-- Generated from the source by tools/generate_reference.py. Change the declarations, not this page. -->

Armarium runs without any settings. To change one, write it into the settings file or set its environment
variable; the variable has precedence. `armarium settings show` prints every value and where it came from,
`armarium settings check` finds mistakes, `armarium settings example` prints a complete file to begin from.

| environment variable | default | what it names |
|---|---|---|
| `{HOME}` | `./{DEFAULT_HOME}` | The data folder. |
| `{FILE}` | `{FILE_NAME}` in the data folder | The settings file, in TOML. One that you name must exist. |

- Unknown sections, keys and variables beginning with `ARMARIUM_` are refused, and so are values of the wrong
  type: the text `"8000"` is not a number. (Kubernetes sets such variables for a service called `armarium`:
  switch that off with `enableServiceLinks: false`.)
- In a variable, *true or false* may also be `1`, `0`, `yes`, `no`, `on` or `off`; a *list* has commas between
  its items, or is written in JSON.
- Where a value *may be empty*, the empty text `""` or an empty variable means: none.
- A *path* is used as written; a relative one counts from the folder in which Armarium is started.
- A *secret* is never printed, neither by the commands above nor in errors or logs.
"""

NOUNS: dict[type[Kind], str] = {
    Flag: "true or false",
    Whole: "whole number",
    Number: "number",
    Text: "text",
    Secret: "secret",
    Location: "path",
}


def reference(sections: Iterable[type[Section]]) -> str:
    return REFERENCE_HEAD + "".join(_described(section) for section in sections)


def kind_words(key: Key) -> str:
    """Type and limits of a key in a few words: "whole number from 1 to 100"."""
    optional = isinstance(key.kind, Optional)
    kind = key.kind.inner if isinstance(key.kind, Optional) else key.kind
    words = [_noun(kind), *_limits(key), *(["may be empty"] if optional else [])]
    return ", ".join(words)


def _described(section: type[Section]) -> str:
    lines = [
        f"\n## [{section.section_name}]\n",
        f"{help_of(section)}\n",
        "| key | type | default | environment variable | what it does |",
        "|---|---|---|---|---|",
        *(_row(key) for key in keys_of(section)),
    ]
    return "\n".join(lines) + "\n"


def _row(key: Key) -> str:
    default = "none" if key.default is None else f"`{as_toml(key.default)}`"
    cells = [f"`{key.name}`", kind_words(key), default, f"`{key.variable}`", key.help]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _noun(kind: Kind) -> str:
    if isinstance(kind, Choice):
        return "one of " + ", ".join(f"`{as_toml(option)}`" for option in kind.options)
    if isinstance(kind, Several):
        return f"list of: {_noun(kind.item)}"
    return NOUNS[type(kind)]


def _limits(key: Key) -> list[str]:
    limits = dict(key.limits)
    span = [f"from {limits.pop('ge')} to {limits.pop('le')}"] if {"ge", "le"} <= limits.keys() else []
    unit = "items" if key.several else "characters"
    words = {
        "ge": "at least {}",
        "gt": "more than {}",
        "le": "at most {}",
        "lt": "less than {}",
        "min_length": "not empty" if limits.get("min_length") == 1 else f"at least {{}} {unit}",
        "max_length": f"at most {{}} {unit}",
        "pattern": "matching `{}`",
    }
    return span + [template.format(limits[name]) for name, template in words.items() if name in limits]


# --- What holds here.


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
