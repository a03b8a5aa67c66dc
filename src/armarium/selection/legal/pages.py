"""The pages of the legal scope of a record: notes, evidence, and all of it to print."""

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core import clock
from armarium.core.errors import Misconfigured, Refused, Unavailable
from armarium.core.message import message
from armarium.core.services import Services
from armarium.languages.speech import say
from armarium.selection.legal.api import RecordsService, ScopeService
from armarium.selection.legal.model import CRITERIA, EVIDENCE, Criterion, ScopeNote, in_scope
from armarium.selection.legal.service import LegalScope
from armarium.selection.permissions import editor_of
from armarium.selection.records.model import Record
from armarium.selection.records.service import Records
from armarium.web.form_values import FormReader
from armarium.web.forms import Form, filled
from armarium.web.pages import Page, PageRequest, guarded
from armarium.web.paging import Number
from armarium.web.posted import PostedForm
from armarium.web.routes import Router

pages = Router(prefix="/selection/records/{number}/scope")


VIEW = guarded(Permission.SELECTION_VIEW)
EDIT = guarded(Permission.SELECTION_EDIT)


@pages.get("", dependencies=VIEW)
def scope_page(page: Page, number: Number, records: RecordsService) -> Response:
    return show(page, number, records)


@pages.post("", dependencies=EDIT)
def note(
    page: Page, number: Number, form: PostedForm, records: RecordsService, scope: ScopeService
) -> Response:
    try:
        criterion = chosen(form)
        scope.note(editor_of(page.visitor), number, criterion, form.ticked("meets"), form.get("text"))
    except Refused as refusal:
        return show(page, number, records, form=form.refuse(refusal))
    return page.done(f"/selection/records/{number}/scope", message("The note is kept."))


@pages.post("/gather", dependencies=EDIT)
def gather(page: Page, number: Number, scope: ScopeService) -> Response:
    there = f"/selection/records/{number}/scope"
    try:
        scope.gather(editor_of(page.visitor), number)
    except (Unavailable, Misconfigured) as away:
        return page.done(there, away.message, "bad")
    return page.done(there, message("The evidence is saved."))


def chosen(form: Form) -> Criterion:
    with FormReader(form) as read:
        return read.choice("criterion", Criterion, message("Choose a criterion."))


def show(page: PageRequest, number: int, records: Records, *, form: Form | None = None) -> Response:
    record = records.get(number)
    context = context_of(page, record, form=form)
    return page.show("selection/scope.html", record=record, printed_at=clock.now(), **context)


# What a record's page shows of it


SHOWN = 5


def panel_context(page: PageRequest, record: Record) -> Mapping[str, Any]:
    return context_of(page, record, most=SHOWN)


def context_of(
    page: PageRequest, record: Record, *, form: Form | None = None, most: int | None = None
) -> dict[str, Any]:
    services: Services = page.request.app.state.services
    notes = services.get(LegalScope).notes(record.id)
    may_edit = page.may(Permission.SELECTION_EDIT)
    may_note = may_edit and services.get(Records).may_change(editor_of(page.visitor), record.collection)
    return {
        "notes": [shown(note) for note in notes[:most]],
        "more_notes": max(0, len(notes) - most) if most else 0,
        "verdict": in_scope(notes),
        "may_note": may_note,
        "scope_form": form or filled(meets="yes"),
        "criterion_options": [(one.value, say(CRITERIA[one])) for one in Criterion],
    }


def shown(note: ScopeNote) -> dict[str, Any]:
    return {
        "note": note,
        "criterion": say(CRITERIA[note.criterion]),
        "evidence": [
            (say(EVIDENCE[key]) if key in EVIDENCE else key, str(value))
            for key, value in note.evidence.items()
            if value
        ],
    }
