"""Names like one that was misspelt."""

from collections.abc import Iterable
from difflib import get_close_matches

from armarium.core.errors import ArmariumError, NotFound

MOST = 3


def close(word: str, known: Iterable[str]) -> list[str]:
    """The likeliest first: those of which the word is a part, then those that are spelt alike."""
    names = {name.casefold(): name for name in known}
    word = word.casefold()
    parts = [name for name in names if len(word) > MOST and word in name]
    alike = get_close_matches(word, names, n=MOST, cutoff=0.6)
    return [names[one] for one in dict.fromkeys((*alike, *parts))][:MOST]


def proposed(word: str, known: Iterable[str]) -> str:
    """` Did you mean “running”?`, or nothing."""
    found = [f"“{one}”" for one in close(word, known)]
    if not found:
        return ""
    *others, last = found
    return f" Did you mean {', '.join(others)} or {last}?" if others else f" Did you mean {last}?"


def told(error: ArmariumError) -> str:
    """What an error says; where it names what there is, with the nearest to what was asked for."""
    if isinstance(error, NotFound):
        return f"{error}{proposed(error.name, error.known)}"
    values = error.message.values
    known, word = str(values.get("known", "")), str(values.get("name") or values.get("text") or "")
    return f"{error}{proposed(word, known.split(', ')) if known and word else ''}"
