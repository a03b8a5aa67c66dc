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
from armarium.web.shell import Shell

SHOWN = 20
LONGEST = 300  # characters of a value

DOORS: Mapping[Via, Message] = {
    Via.PAGE: message("Web page"),
    Via.API: message("API"),
    Via.COMMAND: message("Command line"),
    Via.SYSTEM: message("System"),
}


def history_of(request: Request, page: Shell, kind: str, number: object) -> list[dict[str, Any]]:
    """What `planning/history.html` shows, newest first; `kind` is that of the audit's subject."""
    services: Services = request.app.state.services
    question = Question(object_kind=kind, object_id=str(number))
    entries, _ = services.get(Audit).page(question, limit=SHOWN)
    return [_shown(entry, page) for entry in entries]


def _shown(entry: Entry, page: Shell) -> dict[str, Any]:
    changes = [
        {"key": _in_words(name, page), "before": _readable(old), "after": _readable(new)}
        for name, old, new in entry.differences()
    ]
    return {
        "moment": entry.at,
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


def _readable(value: object) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return say(message("yes")) if value else say(message("no"))
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return f"{text[:LONGEST]}…" if len(text) > LONGEST else text or None
