"""The last entries of the audit log about one thing, for its page."""

from collections.abc import Iterable, Mapping
from typing import Any

from starlette.requests import Request

from armarium.audit.model import Entry, Question
from armarium.audit.service import Audit
from armarium.core.actor import Via
from armarium.core.message import Message, message
from armarium.core.services import Services
from armarium.languages.speech import say
from armarium.web.history_words import Names, Words, readable
from armarium.web.sections import Section, speaking_of
from armarium.web.shell import Shell

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
