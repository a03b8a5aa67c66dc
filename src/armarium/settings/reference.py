"""The reference page of all settings, in Markdown, from their declarations."""

from collections.abc import Iterable

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
from armarium.settings.load import DEFAULT_HOME, FILE_NAME
from armarium.settings.plain import as_toml
from armarium.settings.section import FILE, HOME, Key, Section, help_of, keys_of

HEAD = f"""\
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
    return HEAD + "".join(_section(section) for section in sections)


def kind_words(key: Key) -> str:
    """Type and limits of a key in a few words: "whole number from 1 to 100"."""
    optional = isinstance(key.kind, Optional)
    kind = key.kind.inner if isinstance(key.kind, Optional) else key.kind
    words = [_noun(kind), *_limits(key), *(["may be empty"] if optional else [])]
    return ", ".join(words)


def _section(section: type[Section]) -> str:
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
