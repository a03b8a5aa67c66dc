"""The last entries of the audit log about a rule or a network, for its page."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request

from armarium.access.policy.showing import Names
from armarium.access.policy.words import EFFECTS, MATCHES
from armarium.accounts.rules import ROLE_TITLES
from armarium.core.message import Message
from armarium.web import history
from armarium.web.shell import Shell

#: Words for values of which the log keeps the name that programs use.
VALUES: Mapping[str, Mapping[str, Message]] = {
    "effect": {one.value: text for one, text in EFFECTS.items()},
    "match": {one.value: text for one, text in MATCHES.items()},
    "roles": {one.value: text for one, text in ROLE_TITLES.items()},
}


def history_of(request: Request, page: Shell, kind: str, number: int, names: Names) -> list[dict[str, Any]]:
    """What `history.html` shows, newest first; `kind` is that of the audit's subject.

    A rule that is made says little of what it could say: what it does not want is not told."""
    return history.history_of(
        request, page, kind, number, names.of_values(), words=VALUES, only_wanted_at_first=True
    )
