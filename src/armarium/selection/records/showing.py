"""What a record's page shows."""

from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Depends
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Identity, Permission
from armarium.core.message import message
from armarium.selection.history import history_of
from armarium.selection.model import State
from armarium.selection.records import panels
from armarium.selection.records.model import Record
from armarium.selection.records.service import Records
from armarium.selection.records.tray import Tray
from armarium.selection.rights import editor_of
from armarium.selection.words import BUDGETS, DEPTHS, FREQUENCIES, ORIGINS, STATES
from armarium.web.forms import Form
from armarium.web.history import SHOWN
from armarium.web.services import service
from armarium.web.shell import Shell, done

ADDRESS = "/selection/records"
TONES = {State.PROPOSED: "waiting", State.VALIDATED: "good", State.REFUSED: "bad"}

RecordsService = Annotated[Records, Depends(service(Records))]
TrayService = Annotated[Tray, Depends(service(Tray))]


def show_record(
    request: Request,
    page: Shell,
    visitor: Identity,
    records: Records,
    record: Record,
    *,
    comment_form: Form | None = None,
    decision_form: Form | None = None,
    status: int = 200,
) -> Response:
    history = history_of(request, page, "record", record.id, most=SHOWN + 1)
    found = panels.shown(request, visitor, page, record)
    context: dict[str, Any] = {
        **about(visitor, records, record),
        "comments": records.comments(record.id),
        "comment_form": _named(comment_form, "comment"),
        "decision_form": _named(decision_form, "decision"),
        "history": history[:SHOWN],
        "more_history": len(history) > SHOWN,
        "wide_panels": [one for one in found if one["panel"].wide],
        "panels": [one for one in found if not one["panel"].wide],
    }
    if request.headers.get("x-part"):
        return page.part(request, "selection/records_show.html", **context)
    return page.page(request, "selection/records_show.html", status=status, **context)


def about(visitor: Identity, records: Records, record: Record) -> dict[str, Any]:
    """The record in words, and what this visitor may do to it."""
    may_change = visitor.may(Permission.SELECTION_EDIT) and records.may_change(
        editor_of(visitor), record.collection
    )
    return {
        "record": record,
        "record_address": f"{ADDRESS}/{record.id}",
        "words": {
            "budget": BUDGETS[record.budget],
            "frequency": FREQUENCIES[record.frequency],
            "depth": DEPTHS[record.depth],
            "state": STATES[record.state],
            "origin": ORIGINS[record.origin],
        },
        "tone": TONES[record.state],
        "links": links(visitor, record),
        "may_change": may_change,
        "may_decide": may_change and visitor.may(Permission.SELECTION_VALIDATE),
        "State": State,
    }


def not_yours(request: Request, record: Record) -> Response:
    """Instead of a form that could not be saved. Looking is no attempt: the log needs no word of it."""
    text = message(
        "The collection %(name)s is not one of yours: you may read its records and comment on them. "
        "Ask an administrator to make you a member.",
        name=record.collection_name,
    )
    return done(request, f"{ADDRESS}/{record.id}", text, "warning")


def links(visitor: Identity, record: Record) -> dict[str, str]:
    """The record's site in other rooms, by address; only where this visitor may go."""
    found = {}
    if visitor.may(Permission.ACCESS_VIEW):
        found["archive"] = f"/access/go?to={quote(f'/all/*/{record.address}', safe='')}"
    if visitor.may(Permission.PLANNING_VIEW):
        found["domain"] = f"/planning/domains?q={quote(record.domain, safe='')}"
    return found


def _named(form: Form | None, name: str) -> Form:
    form = form or Form()
    form.id = name
    return form
