"""The last entries of the audit log about one thing of planning, for its page."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request

from armarium.core.message import Message
from armarium.planning.labels import KINDS, MISSED, UNITS
from armarium.web import history
from armarium.web.history import Names
from armarium.web.shell import Shell

#: Words for values of which the log keeps the name that programs use.
VALUES: Mapping[str, Mapping[str, Message]] = {
    "missed": {one.value: text for one, text in MISSED.items()},
    "kind": {one.value: text for one, text in KINDS.items()},
    "unit": {one.value: text for one, text in UNITS.items()},
}


def history_of(
    request: Request, page: Shell, kind: str, number: object, names: Names | None = None
) -> list[dict[str, Any]]:
    """What `history.html` shows, newest first; `kind` is that of the audit's subject."""
    return history.history_of(request, page, kind, number, names, words=VALUES)
