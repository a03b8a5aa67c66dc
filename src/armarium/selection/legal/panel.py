"""What a record's page shows about its legal scope."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request

from armarium.accounts.model import Identity, Permission
from armarium.core.services import Services
from armarium.languages.speech import say
from armarium.selection.legal.model import Criterion, ScopeNote, in_scope
from armarium.selection.legal.service import LegalScope
from armarium.selection.legal.words import CRITERIA, EVIDENCE
from armarium.selection.records.model import Record
from armarium.selection.records.service import Records
from armarium.selection.rights import editor_of
from armarium.web.forms import Form, filled

SHOWN = 5


def panel_context(request: Request, visitor: Identity, record: Record) -> Mapping[str, Any]:
    return context_of(request, visitor, record, most=SHOWN)


def context_of(
    request: Request, visitor: Identity, record: Record, *, form: Form | None = None, most: int | None = None
) -> dict[str, Any]:
    services: Services = request.app.state.services
    notes = services.get(LegalScope).notes(record.id)
    may_edit = visitor.may(Permission.SELECTION_EDIT)
    may_note = may_edit and services.get(Records).may_change(editor_of(visitor), record.collection)
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
