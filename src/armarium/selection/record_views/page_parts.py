"""What a record's page shows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Depends
from markupsafe import Markup
from starlette.responses import Response

from armarium.accounts.model import Identity, Permission
from armarium.core.errors import NotFound
from armarium.core.message import Message, message
from armarium.selection.entry import pages as entry
from armarium.selection.findings import pages as findings
from armarium.selection.legal import pages as legal
from armarium.selection.legal.model import VALUES as LEGAL_VALUES
from armarium.selection.model import BUDGETS, DEPTHS, FREQUENCIES, ORIGINS, STATES, VALUES, RecordState
from armarium.selection.permissions import editor_of
from armarium.selection.records.model import Record
from armarium.selection.records.service import Records
from armarium.selection.records.tray import Tray
from armarium.selection.transfer import pages as transfer
from armarium.web.forms import Form
from armarium.web.history import SHOWN, history_of
from armarium.web.pages import PageRequest
from armarium.web.services import service

ADDRESS = "/selection/records"
#: Words for values of which the audit log keeps the name that programs use.
RECORD_VALUES = {**VALUES, **LEGAL_VALUES}
TONES = {RecordState.PROPOSED: "waiting", RecordState.VALIDATED: "good", RecordState.REFUSED: "bad"}

RecordsService = Annotated[Records, Depends(service(Records))]
TrayService = Annotated[Tray, Depends(service(Tray))]


def show_record(
    page: PageRequest,
    records: Records,
    record: Record,
    *,
    comment_form: Form | None = None,
    decision_form: Form | None = None,
) -> Response:
    history = history_of(page.request, page.shell, "record", record.id, words=RECORD_VALUES, most=SHOWN + 1)
    found = shown_panels(page, record)
    return page.live(
        "selection/records_show.html",
        "selection/records_show.html",
        **about(page.visitor, records, record),
        comments=records.comments(record.id),
        comment_form=_named(comment_form, "comment"),
        decision_form=_named(decision_form, "decision"),
        history=history[:SHOWN],
        more_history=len(history) > SHOWN,
        wide_panels=[one for one in found if one["panel"].wide],
        panels=[one for one in found if not one["panel"].wide],
    )


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
        "State": RecordState,
    }


def not_yours(page: PageRequest, record: Record) -> Response:
    """Instead of a form that could not be saved. Looking is no attempt: the log needs no word of it."""
    text = message(
        "The collection %(name)s is not one of yours: you may read its records and comment on them. "
        "Ask an administrator to make you a member.",
        name=record.collection_name,
    )
    return page.done(f"{ADDRESS}/{record.id}", text, "warning")


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


# Panels: what the other parts of the room know about the record
#
# A part adds its line to PANELS: a title, a template that shows the inside of the panel, and a function that
# gives the template what it needs. The page puts a frame with the title around it.


#: What the template needs beside `record`; None: there is nothing to show, and the panel stays away.
Context = Callable[[PageRequest, Record], Mapping[str, Any] | None]


@dataclass(frozen=True)
class Panel:
    """One panel. Its template knows `record`, `visitor`, what `context` gives, and what every page knows."""

    name: str  # a word, for its id on the page and for its address: /selection/records/7/panels/check
    title: Message
    template: str  # "selection/entry_panel.html": what stands under the title, without a frame
    context: Context
    topics: str = ""  # live topics, with spaces between them, at which the panel is fetched again
    wide: bool = False  # among the record's own facts, not in the narrow column beside them


#: In the order of the page.
PANELS: tuple[Panel, ...] = (
    Panel("check", message("Live check"), "selection/check_panel.html", entry.panel_context, "records"),
    Panel("scope", message("Legal scope"), "selection/scope_panel.html", legal.panel_context, "records"),
    Panel(
        "findings",
        message("Findings"),
        "selection/findings_panel.html",
        findings.findings_context,
        "findings",
    ),
    Panel(
        "planning",
        message("In planning"),
        "selection/transfer_panel.html",
        transfer.panel_context,
        "transfer",
    ),
    Panel(
        "harvests",
        message("What was harvested"),
        "selection/harvests_panel.html",
        findings.harvests_context,
        "records",
        wide=True,
    ),
)


def shown_panels(page: PageRequest, record: Record) -> list[dict[str, Any]]:
    """The panels that have something to show, for `selection/records_panels.html`."""
    return [
        {"panel": panel, "content": content}
        for panel in PANELS
        if (content := content_of(page, panel, record)) is not None
    ]


def content_of(page: PageRequest, panel: Panel, record: Record) -> Markup | None:
    context = panel.context(page, record)
    if context is None:
        return None
    return page.shell.piece(
        page.request, panel.template, **{**context, "record": record, "visitor": page.visitor}
    )


def named(name: str) -> Panel:
    for panel in PANELS:
        if panel.name == name:
            return panel
    raise NotFound(message("A record's page has no panel “%(name)s”.", name=name))
