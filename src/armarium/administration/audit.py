"""Pages and API of the audit log."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Annotated, Any

from fastapi import Depends, Query
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from armarium.accounts.model import Permission
from armarium.audit.model import Entry, Question
from armarium.audit.service import Audit
from armarium.core.actor import Via
from armarium.core.message import Message, message
from armarium.languages.speech import say, time_zone
from armarium.web.api import operation
from armarium.web.guard import needs
from armarium.web.lists import csv_lines
from armarium.web.paging import PAGE_SIZE, At, Listing, PageNumber, Paging, offset_of
from armarium.web.routes import Router
from armarium.web.sections import speaking_of
from armarium.web.services import service
from armarium.web.shell import PageShell, Shell

pages = Router(prefix="/administration/audit", dependencies=[Depends(needs(Permission.AUDIT_VIEW))])
api = Router(prefix="/audit", tags=["audit"])

AuditService = Annotated[Audit, Depends(service(Audit))]
CSV_STEP = 1000

DOORS: Mapping[Via, Message] = {
    Via.PAGE: message("Web page"),
    Via.API: message("API"),
    Via.COMMAND: message("Command line"),
    Via.SYSTEM: message("System"),
}


def asked(
    who: str = "",
    action: str = "",
    object: str = "",  # noqa: A002  (the word in the address)
    since: Annotated[str, Query(alias="from")] = "",
    until: Annotated[str, Query(alias="to")] = "",
) -> Question:
    """The question in the address; a date that is none asks nothing."""
    return Question(
        actor=who.strip(),
        action=action,
        object_name=object.strip(),
        since=day(since),
        until=day(until),
        zone=time_zone(),
    )


def asked_by_program(
    who: str = "",
    action: str = "",
    object: str = "",  # noqa: A002
    since: Annotated[date | None, Query(alias="from")] = None,
    until: Annotated[date | None, Query(alias="to")] = None,
) -> Question:
    """The same for programs, who are better told that a date is none; their days are those of UTC."""
    return Question(actor=who, action=action, object_name=object, since=since, until=until)


def day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


Asked = Annotated[Question, Depends(asked)]


@pages.get("")
def audit_page(
    request: Request, page: PageShell, audit: AuditService, question: Asked, number: PageNumber = 1
) -> Response:
    entries, total = audit.page(question, limit=PAGE_SIZE, offset=offset_of(number))
    given = request.query_params
    names = ("who", "action", "object", "from", "to")
    context: dict[str, Any] = {
        "filter": {name: given.get(name, "") for name in names},
        "action_options": [(action, action_title(action, page)) for action in audit.actions()],
        "entries": [shown_entry(entry, page) for entry in entries],
        "total": total,
        "page": Paging(request, number, total),
        "problems": unreadable(given.get("from", ""), given.get("to", "")),
        "export": f"/administration/audit.csv?{request.url.query}",
    }
    return page.page(request, "administration/audit.html", **context)


def unreadable(*dates: str) -> str:
    wrong = [text for text in dates if text and day(text) is None]
    return say(message("“%(text)s” is not a date. Write 2026-12-31.", text=wrong[0])) if wrong else ""


def action_title(action: str, page: Shell) -> str:
    """The action in words, as the room that did it says it."""
    return in_words(action, [section.actions for section in page.sections])


def thing_title(name: str, action: str, page: Shell) -> str:
    """What the room that did the action calls a kind of thing, or a value of it."""
    return in_words(name, [section.words for section in speaking_of(action, page.sections)])


def in_words(name: str, glossaries: Iterable[Mapping[str, Message]]) -> str:
    words = next((glossary[name] for glossary in glossaries if name in glossary), None)
    return say(words) if words else name


def way(entry: Entry) -> str:
    """By which door the change came, and from where."""
    door = say(DOORS[entry.via])
    return f"{door}, {entry.address}" if entry.address else door


def shown_entry(entry: Entry, page: Shell) -> dict[str, Any]:
    accounts = "/administration/accounts"
    kind = thing_title(entry.object_kind, entry.action, page)
    is_account = entry.object_kind == "account" and entry.object_id
    return {
        "id": entry.id,
        "moment": entry.at,
        "who": entry.actor,
        "who_href": f"{accounts}/{entry.account}" if entry.account else "",
        "via": way(entry),
        "action": action_title(entry.action, page),
        "object": f"{kind} {entry.object_name or entry.object_id}".strip(),
        "object_href": f"{accounts}/{entry.object_id}" if is_account else "",
        "changes": [
            {"key": thing_title(name, entry.action, page), "before": readable(old), "after": readable(new)}
            for name, old, new in entry.differences()
            if readable(old) or readable(new)  # of a new thing, only what it has
        ],
    }


def readable(value: object) -> str | None:
    """A value of the log in a line; None where there was none."""
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return say(message("yes")) if value else say(message("no"))
    if isinstance(value, list):
        return ", ".join(str(item) for item in value) or None
    return str(value)


@pages.get(".csv")
def audit_csv(audit: AuditService, question: Asked) -> Response:
    headers = {"Content-Disposition": 'attachment; filename="audit.csv"'}
    return StreamingResponse(
        entries_as_csv(audit, question), media_type="text/csv; charset=utf-8", headers=headers
    )


CSV_HEAD = ("at", "actor", "via", "address", "action", "object", "number", "name", "value", "before", "after")


def entries_as_csv(audit: Audit, question: Question) -> Iterator[str]:
    yield csv_lines([CSV_HEAD])
    entries: Sequence[Entry]
    while entries := audit.page(question, limit=CSV_STEP)[0]:
        for entry in entries:
            yield from entry_lines(entry)
        question = replace(question, below=entries[-1].id)


def entry_lines(entry: Entry) -> Iterator[str]:
    """One line per changed value."""
    head = (entry.at.isoformat(), entry.actor, entry.via, entry.address or "", entry.action)
    subject = (entry.object_kind, entry.object_id, entry.object_name)
    for name, before, after in entry.differences() or [("", "", "")]:
        yield csv_lines([(*head, *subject, name, before, after)])


class AuditEntry(BaseModel):
    id: int
    at: datetime
    actor: str
    via: str
    address: str | None
    action: str
    object_kind: str
    object_id: str
    object_name: str
    before: dict[str, Any]
    after: dict[str, Any]


@api.get("", summary="Read the audit log, newest first", **operation(Permission.AUDIT_VIEW))
def read_audit(
    audit: AuditService,
    question: Annotated[Question, Depends(asked_by_program)],
    at: At,
) -> Listing[AuditEntry]:
    entries, total = audit.page(question, limit=at.limit, offset=at.place)
    return at.listing([AuditEntry.model_validate(e, from_attributes=True) for e in entries], total)
