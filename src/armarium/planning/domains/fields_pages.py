"""The pages of extended fields."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.planning.domains.fields import ExtendedFields
from armarium.planning.domains.fields_rules import Field, FieldKind, FieldSubject, NewField
from armarium.planning.history import history_of
from armarium.web.forms import Form, filled
from armarium.web.guard import Visitor, needs
from armarium.web.paging import Number
from armarium.web.posted import PostedForm
from armarium.web.services import service
from armarium.web.shell import PageShell, done

ADDRESS = "/planning/fields"
pages = APIRouter(prefix=ADDRESS)

Fields = Annotated[ExtendedFields, Depends(service(ExtendedFields))]

VIEW = [Depends(needs(Permission.PLANNING_VIEW))]
RULES = [Depends(needs(Permission.PLANNING_RULES))]

SUBJECTS: dict[FieldSubject, Message] = {
    FieldSubject.DOMAIN: message("Domains"),
    FieldSubject.HARVEST: message("Harvests"),
}
KINDS: dict[FieldKind, Message] = {
    FieldKind.TEXT: message("Text, one line"),
    FieldKind.NOTE: message("Text, several lines"),
    FieldKind.NUMBER: message("A number"),
    FieldKind.YES_NO: message("Yes or no"),
    FieldKind.DATE: message("Date"),
    FieldKind.CHOICE: message("Choice from a list"),
}


@pages.get("", dependencies=VIEW)
def fields_page(request: Request, visitor: Visitor, page: PageShell, fields: Fields) -> Response:
    """All of them on one page: people fill in a form, so there are a few dozen at most."""
    context: dict[str, Any] = {
        "groups": [{"title": title, "fields": fields.all(subject)} for subject, title in SUBJECTS.items()],
        "kinds": KINDS,
        "may_change": visitor.may(Permission.PLANNING_RULES),
    }
    return page.page(request, "planning/fields_list.html", **context)


@pages.get("/new", dependencies=RULES)
def new_field_page(request: Request, visitor: Visitor, page: PageShell) -> Response:
    return show_field(
        request, page, visitor, form=filled(subject="domain", kind="text", place=0, active="yes")
    )


@pages.post("/new", dependencies=RULES)
def create_field(
    request: Request, visitor: Visitor, form: PostedForm, page: PageShell, fields: Fields
) -> Response:
    try:
        made = fields.create(visitor.actor, field_of(form))
    except Refused as refusal:
        return show_field(request, page, visitor, form=form.refuse(refusal), status=422)
    return done(request, ADDRESS, message("The field %(name)s is made.", name=made.name))


@pages.get("/{number}", dependencies=VIEW)
def field_page(
    request: Request, number: Number, visitor: Visitor, page: PageShell, fields: Fields
) -> Response:
    return show_field(request, page, visitor, fields.get(number))


@pages.post("/{number}", dependencies=RULES)
def change_field(
    request: Request, number: Number, visitor: Visitor, form: PostedForm, page: PageShell, fields: Fields
) -> Response:
    known = fields.get(number)
    try:
        changed = fields.change(visitor.actor, number, field_of(form), seen=form.get("seen"))
    except Refused as refusal:
        return show_field(request, page, visitor, known, form=form.refuse(refusal), status=422)
    return done(request, ADDRESS, message("The field %(name)s is saved.", name=changed.name))


def field_of(form: Form) -> NewField:
    for name, known in (("subject", set(FieldSubject)), ("kind", set(FieldKind))):
        if form.get(name) not in known:
            raise Refused(message("Choose one of the list."), field=name)
    place = form.get("place").strip() or "0"
    if not place.isascii() or not place.isdigit() or len(place) > 9:
        raise Refused(message("This must be a whole number."), field="place")
    return NewField(
        subject=FieldSubject(form.get("subject")),
        name=form.get("name"),
        kind=FieldKind(form.get("kind")),
        choices=tuple(form.get("choices").splitlines()),
        default_value=form.get("default_value").strip(),
        help=form.get("help"),
        mandatory=form.ticked("mandatory"),
        active=form.ticked("active"),
        place=int(place),
    )


def show_field(
    request: Request,
    page: PageShell,
    visitor: Visitor,
    field: Field | None = None,
    *,
    form: Form | None = None,
    status: int = 200,
) -> Response:
    context: dict[str, Any] = {
        "field": field,
        "form": form or form_of(field),
        "subject_options": [(subject.value, title) for subject, title in SUBJECTS.items()],
        "kind_options": [(kind.value, title) for kind, title in KINDS.items()],
        "history": history_of(request, page, "extended-field", field.id) if field else [],
        "may_change": visitor.may(Permission.PLANNING_RULES),
        "address": f"{ADDRESS}/{field.id}" if field else f"{ADDRESS}/new",
    }
    return page.page(request, "planning/fields_show.html", status=status, **context)


def form_of(field: Field | None) -> Form:
    if field is None:
        return filled()
    values = {**vars(field), "choices": "\n".join(field.choices), "seen": field.mark}
    for name in ("mandatory", "active"):
        values[name] = "yes" if values[name] else None
    return filled(**{**values, "subject": field.subject.value, "kind": field.kind.value})
