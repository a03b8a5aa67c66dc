"""Which language a reader gets: what they chose, else what their browser prefers, else English."""

import re
from collections.abc import Collection, Iterable

from armarium.languages.catalogues import SOURCE, languages

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
