"""A complete settings file with everything at its default and explained, to begin from."""

import textwrap
from collections.abc import Iterable

from armarium.settings.keys import Key, keys_of
from armarium.settings.plain import as_toml
from armarium.settings.reference import kind_words
from armarium.settings.section import Section, help_of

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
