"""The catalogues of translations, one `.po` file per language, read when somebody first speaks it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from importlib.resources.abc import Traversable
from io import BytesIO

from babel import Locale
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import NullTranslations, Translations

SOURCE = "en"  # the language in which the code is written: it needs no catalogue


@dataclass(frozen=True)
class Language:
    code: str  # a language tag as browsers send it and HTML wants it (BCP 47): "fr", "pt-BR"
    catalogue: Traversable | None = None

    @cached_property
    def name(self) -> str:
        """As its speakers write it: "Français". Asked for by pages only: each takes 1 MB of Babel's data."""
        name = locale_of(self.code).get_display_name() or self.code
        return name[0].upper() + name[1:]

    @cached_property
    def translations(self) -> NullTranslations:
        """Read when it is first spoken: most processes speak one of five, and each takes 3 MB."""
        return NullTranslations() if self.catalogue is None else read_translations(self.catalogue, self.code)


def folder() -> Traversable:
    return resources.files("armarium.languages") / "catalogues"


@cache
def languages() -> Mapping[str, Language]:
    return read_languages(folder())


def read_languages(catalogues: Traversable) -> Mapping[str, Language]:
    """All languages that have a catalogue, English first, the others by code."""
    found = {SOURCE: Language(SOURCE)}
    for file in sorted(catalogues.iterdir(), key=lambda item: item.name):
        if file.name.endswith(".po"):
            code = file.name.removesuffix(".po")
            found[code] = Language(code, file)
    return found


def locale_of(code: str) -> Locale:
    return Locale.parse(code, sep="-")


def read_translations(file: Traversable, code: str) -> Translations:
    """Compile in memory, so that an edited catalogue is never out of step with a compiled copy."""
    catalogue = read_po(BytesIO(file.read_bytes()), locale=locale_of(code))
    compiled = BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    return Translations(compiled)
