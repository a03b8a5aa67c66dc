"""What the audit log says about a rule or a network, for its page."""

from collections.abc import Mapping
from typing import Any

from armarium.access.policy.words import ACTIONS, WORDS
from armarium.audit.model import Entry, Question
from armarium.audit.service import Audit
from armarium.core.actor import Via
from armarium.core.message import Message, message
from armarium.languages.speech import say

SHOWN = 20
_DOORS: Mapping[Via, Message] = {
    Via.PAGE: message("Web page"),
    Via.API: message("API"),
    Via.COMMAND: message("Command line"),
    Via.SYSTEM: message("System"),
}
#: For a value, the names of what it numbers: {"networks": {3: "Reading room"}}.
Names = Mapping[str, Mapping[Any, object]]


def history_of(audit: Audit, kind: str, number: int, names: Names) -> list[dict[str, Any]]:
    """Newest first, as `history.html` shows it."""
    entries, _ = audit.page(Question(object_kind=kind, object_id=str(number)), limit=SHOWN)
    return [_shown(entry, names) for entry in entries]


def _shown(entry: Entry, names: Names) -> dict[str, Any]:
    changes = [
        {"key": say(WORDS[name]) if name in WORDS else name, "before": before, "after": after}
        for name, old, new in entry.differences()
        for before, after in [(_readable(name, old, names), _readable(name, new, names))]
        if before or after
    ]
    action = ACTIONS.get(entry.action)
    return {
        "moment": entry.at,
        "who": entry.actor,
        "via": say(_DOORS[entry.via]),
        "action": say(action) if action else entry.action,
        "changes": changes,
    }


def _readable(name: str, value: object, names: Names) -> str | None:
    if isinstance(value, list | tuple):
        return ", ".join(filter(None, (_readable(name, one, names) for one in value))) or None
    if value in (None, "", False, 0):
        return None
    known = names.get(name, {}).get(value, value)
    if known is True:
        return say(message("yes"))
    return say(known) if isinstance(known, Message) else str(known)
