"""The catalogues of translations, one `.po` file per language, read when somebody first speaks it."""

import re
from collections.abc import Collection, Iterable, Mapping
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


# --- Which language a reader gets: what they chose, else what their browser prefers, else English.


LONGEST_HEADER = 500  # a hostile client may send thousands of ranges
# RFC 9110, 12.4.2: qvalue = ( "0" [ "." 0*3DIGIT ] ) / ( "1" [ "." 0*3("0") ] ).
WEIGHT = re.compile(r"(0(\.[0-9]{0,3})?|1(\.0{0,3})?)", re.ASCII)


def choose(wishes: Iterable[str | None], accept_language: str = "") -> str:
    """The first wish that has a catalogue, else the browser's preference."""
    known = languages()
    for wish in (*wishes, *preferences(accept_language)):
        if wish and (code := closest(wish, known)):
            return code
    return SOURCE


def closest(wish: str, known: Collection[str]) -> str | None:
    """The catalogue for a language range: `pt-BR` is served by `pt-BR`, else by `pt`, else by any `pt-…`."""
    exact = {code.lower(): code for code in known}
    wish = wish.lower()
    language = wish.partition("-")[0]
    relatives = (code for code in known if code.lower().startswith(f"{language}-"))
    return exact.get(wish) or exact.get(language) or next(relatives, None)


def preferences(accept_language: str) -> list[str]:
    """Language ranges of an Accept-Language header by falling weight (RFC 9110, 12.5.4)."""
    weighted: list[tuple[float, str]] = []
    for part in accept_language[:LONGEST_HEADER].split(","):
        code, _, parameters = part.partition(";")
        if code.strip() not in ("", "*"):
            weighted.append((weight(parameters), code.strip()))
    weighted.sort(key=lambda pair: pair[0], reverse=True)  # stable: equal weights stay in their order
    return [code for importance, code in weighted if importance > 0]


def weight(parameters: str) -> float:
    """The weight of a range; 0, “not acceptable”, when it cannot be read."""
    name, _, value = parameters.partition("=")
    if name.strip().lower() != "q":
        return 1.0
    return float(value) if WEIGHT.fullmatch(value := value.strip()) else 0.0
