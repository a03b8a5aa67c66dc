"""The history of a collection or a record: what the audit log has about it, for its page."""

from typing import Any

from starlette.requests import Request

from armarium.selection.legal import words as legal_words
from armarium.selection.words import VALUES
from armarium.web import history
from armarium.web.shell import Shell


def history_of(
    request: Request, page: Shell, kind: str, number: object, *, most: int = history.SHOWN
) -> list[dict[str, Any]]:
    """What `history.html` shows, newest first; `kind` is that of the audit's subject: record, collection."""
    return history.history_of(request, page, kind, number, words={**VALUES, **legal_words.VALUES}, most=most)
