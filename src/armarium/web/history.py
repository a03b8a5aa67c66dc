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
) -> list[dict[str, Any]]:
    """What `history.html` shows, newest first; `kind` is that of the audit's subject.

    `names`: of what values of the entries number, as seed lists. `words`: for values that programs name.
    """
    services: Services = request.app.state.services
    question = Question(object_kind=kind, object_id=str(number))
    entries, _ = services.get(Audit).page(question, limit=most)
    return [_shown(entry, page, names or {}, words) for entry in entries]


def _shown(entry: Entry, page: Shell, names: Names, words: Words) -> dict[str, Any]:
    changes = [
        {
            "key": _in_words(name, page),
            "before": readable(name, old, names, words),
            "after": readable(name, new, names, words),
        }
        for name, old, new in entry.differences()
    ]
    return {
        "moment": entry.at,
        "name": entry.action,
        "was": dict(entry.before or {}),
        "who": entry.actor,
        "via": say(DOORS[entry.via]),
        "action": _in_words(entry.action, page),
        "changes": [one for one in changes if one["before"] or one["after"]],
    }


def _in_words(name: str, page: Shell) -> str:
    """As the room that wrote the entry says it; other names as they are."""
    glossaries: Iterable[Mapping[str, Message]] = (
        glossary for section in page.sections for glossary in (section.actions, section.words)
    )
    words = next((glossary[name] for glossary in glossaries if name in glossary), None)
    return say(words) if words else name
