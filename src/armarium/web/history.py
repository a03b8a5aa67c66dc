"""The last entries of the audit log about one thing, for its page."""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from starlette.requests import Request

from armarium.audit.model import Entry, Question
from armarium.audit.service import Audit
from armarium.core.actor import Via
from armarium.core.message import Message, message
from armarium.core.services import Services
from armarium.languages.speech import byte_size, moment, number, say
from armarium.web.sections import Section, speaking_of
from armarium.web.shell import Shell

# --- Values of the audit log as people read them.


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


# --- The last entries of the audit log about one thing, for its page.


SHOWN = 20

DOORS: Mapping[Via, Message] = {
    Via.PAGE: message("Web page"),
    Via.API: message("API"),
    Via.COMMAND: message("Command line"),
    Via.SYSTEM: message("System"),
}


def history_of(
    request: Request,
    page: Shell,
    kind: str,
    number: object,
    names: Names | None = None,
    *,
    words: Words,
    most: int = SHOWN,
    only_wanted_at_first: bool = False,
) -> list[dict[str, Any]]:
    """What `history.html` shows, newest first; `kind` is that of the audit's subject.

    `names`: of what values of the entries number, as seed lists. `words`: for values that programs name.
    `only_wanted_at_first`: of what is made, what is no or 0 goes without saying.
    """
    services: Services = request.app.state.services
    question = Question(object_kind=kind, object_id=str(number))
    entries, _ = services.get(Audit).page(question, limit=most)
    return [
        _shown(entry, page, names or {}, words, all_values=bool(entry.before) or not only_wanted_at_first)
        for entry in entries
    ]


def _shown(entry: Entry, page: Shell, names: Names, words: Words, *, all_values: bool) -> dict[str, Any]:
    rooms = speaking_of(entry.action, page.sections)
    changes = [
        {
            "key": _in_words(name, rooms),
            "before": readable(name, old, names, words),
            "after": readable(name, new, names, words),
        }
        for name, old, new in entry.differences()
        if all_values or new
    ]
    return {
        "moment": entry.at,
        "name": entry.action,
        "was": dict(entry.before or {}),
        "who": entry.actor,
        "via": say(DOORS[entry.via]),
        "action": _in_words(entry.action, rooms),
        "changes": [one for one in changes if one["before"] or one["after"]],
    }


def _in_words(name: str, rooms: Iterable[Section]) -> str:
    """As the first of the rooms says it that knows it; other names as they are."""
    glossaries: Iterable[Mapping[str, Message]] = (
        glossary for room in rooms for glossary in (room.actions, room.words)
    )
    words = next((glossary[name] for glossary in glossaries if name in glossary), None)
    return say(words) if words else name
