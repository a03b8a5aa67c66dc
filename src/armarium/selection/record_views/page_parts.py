"""What a record's page shows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
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
from armarium.selection.record_views.summary import overview, picture
from armarium.selection.records.model import Record
from armarium.selection.records.service import Records
from armarium.selection.records.tray import Tray
from armarium.selection.transfer import pages as transfer
from armarium.web.forms import Form
from armarium.web.history import history_of
from armarium.web.pages import PageRequest
from armarium.web.services import service

ADDRESS = "/selection/records"
LATEST = 3  # changes in the summary
LOOKED_THROUGH = 20  # entries of the history, for these
#: Words for values of which the audit log keeps the name that programs use.
RECORD_VALUES = {**VALUES, **LEGAL_VALUES}
TONES = {RecordState.PROPOSED: "waiting", RecordState.VALIDATED: "good", RecordState.REFUSED: "bad"}


class Tab(StrEnum):
    """The pages of one record."""

    OVERVIEW = "overview"
    DESCRIPTION = "description"
    HARVESTS = "harvests"
    HISTORY = "history"


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
    """The summary: how it is, and what needs a person."""
    known = about(page.visitor, records, record)
    return _tab(
        page,
        "selection/records_show.html",
        record,
        {**known, **overview(page, record, known["record_address"])},
        Tab.OVERVIEW,
        comments=records.comments(record.id),
        comment_form=_named(comment_form, "comment"),
        decision_form=_named(decision_form, "decision"),
        history=latest(page, record),
    )


def show_tab(page: PageRequest, records: Records, record: Record, tab: "Tab", **context: Any) -> Response:
    known = about(page.visitor, records, record)
    return _tab(page, f"selection/records_{tab.value}.html", record, known, tab, **context)


def _tab(
    page: PageRequest, template: str, record: Record, known: Mapping[str, Any], tab: "Tab", **context: Any
) -> Response:
    return page.live(
        template,
        template,
        **known,
        **{"decision_form": _named(None, "decision"), **context},
        picture=picture(page, record),
        tab=tab.value,
        panels=shown_panels(page, record, tab),
        may_add_finding=findings.may_add(page.visitor),
    )


def history(page: PageRequest, record: Record, most: int) -> list[dict[str, Any]]:
    return history_of(page.request, page.shell, "record", record.id, words=RECORD_VALUES, most=most)


def latest(page: PageRequest, record: Record) -> list[dict[str, Any]]:
    """The last changes; comments stand beside them, and what was entered at first stands above."""
    entries = history(page, record, LOOKED_THROUGH)
    changes = [one for one in entries if one["name"] != "record.commented"] or entries
    return [one if one["was"] else {**one, "changes": []} for one in changes[:LATEST]]


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
# A part adds its line to PANELS: a title, the page on which it stands, a template that shows the inside of
# the panel, and a function that gives the template what it needs. The page frames it under its title.


#: What the template needs beside `record`; None: there is nothing to show, and the panel stays away.
Context = Callable[[PageRequest, Record], Mapping[str, Any] | None]


@dataclass(frozen=True)
class Panel:
    """One panel. Its template knows `record`, `visitor`, what `context` gives, and what every page knows."""

    name: str  # a word, for its id on the page and for its address: /selection/records/7/panels/check
    title: Message
    template: str  # "selection/entry_panel.html": what stands under the title, without a frame
    context: Context
    tab: Tab
    topics: str = ""  # live topics, with spaces between them, at which the panel is fetched again


#: In the order of the page.
PANELS: tuple[Panel, ...] = (
    Panel(
        "findings",
        message("Findings"),
        "selection/findings_panel.html",
        findings.findings_context,
        Tab.OVERVIEW,
        "findings",
    ),
    Panel(
        "check",
        message("Live check"),
        "selection/check_panel.html",
        entry.panel_context,
        Tab.DESCRIPTION,
        "records",
    ),
    Panel(
        "scope",
        message("Legal scope"),
        "selection/scope_panel.html",
        legal.panel_context,
        Tab.DESCRIPTION,
        "records",
    ),
    Panel(
        "planning",
        message("In planning"),
        "selection/transfer_panel.html",
        transfer.panel_context,
        Tab.HARVESTS,
        "transfer",
    ),
    Panel(
        "harvests",
        message("Harvests"),
        "selection/harvests_panel.html",
        findings.harvests_context,
        Tab.HARVESTS,
        "records",
    ),
)


def shown_panels(page: PageRequest, record: Record, tab: Tab) -> list[dict[str, Any]]:
    """The panels of one page that have something to show, for `selection/records_panels.html`."""
    return [
        {"panel": panel, "content": content}
        for panel in PANELS
        if panel.tab is tab and (content := content_of(page, panel, record)) is not None
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
