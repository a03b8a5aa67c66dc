"""Values of the audit log as people read them."""

import re
from collections.abc import Mapping
from datetime import datetime

from armarium.core.message import Message, message
from armarium.languages.speech import byte_size, moment, number, say

LONGEST = 300  # characters of a value
SIZES = frozenset({"max_bytes", "bytes"})
MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*")

#: For a value, the words for the names that programs use: {"state": {"refused": message("Refused")}}.
Words = Mapping[str, Mapping[str, Message]]
#: For a value, the names of what it numbers: {"seed_lists": {"66": "default"}}.
Names = Mapping[str, Mapping[str, str]]


def readable(key: str, value: object, names: Names, words: Words) -> str | None:
    """In words; None where there is nothing to read."""
    if isinstance(value, Mapping):
        text = ", ".join(_members(key, value, names))
    elif isinstance(value, list | tuple):
        text = ", ".join(found for one in value if (found := _one(key, one, names, words)))
    else:
        text = _one(key, value, names, words) or ""
    return f"{text[:LONGEST]}…" if len(text) > LONGEST else text or None


def _members(key: str, value: Mapping[str, object], names: Names, above: str = "") -> list[str]:
    """What a document holds, each value with the path of its key."""
    found: list[str] = []
    for name, one in value.items():
        path = f"{above}{names.get(key, {}).get(str(name), name)}"
        if isinstance(one, Mapping):
            found += _members(key, one, names, f"{path}.")
        elif (text := readable("", one, {}, {})) is not None:
            found.append(f"{path}: {text}")
    return found


def _one(key: str, value: object, names: Names, words: Words) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return say(message("yes")) if value else say(message("no"))
    text = str(value)
    if text in names.get(key, {}):
        return names[key][text]
    if text in words.get(key, {}):
        return say(words[key][text])
    if isinstance(value, int | float):
        return byte_size(value) if key in SIZES else number(value) if key.startswith("max_") else text
    return _moment(text) or text


def _moment(text: str) -> str | None:
    if not MOMENT.fullmatch(text):
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment(found) if found.tzinfo else None
