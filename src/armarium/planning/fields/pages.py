"""The API and the pages of custom fields."""

from typing import Annotated

from fastapi import Depends
from pydantic import BaseModel, ConfigDict
from pydantic import Field as Described
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.message import Message, message
from armarium.planning.audit_history import history_of
from armarium.planning.fields.rules import (
    LARGEST_PLACE,
    Field,
    FieldKind,
    FieldSubject,
    NewField,
    checked_definition,
)
from armarium.planning.fields.service import ExtendedFields
from armarium.web.api import operation
from armarium.web.form_values import FormReader, form_of
from armarium.web.forms import Form, filled
from armarium.web.guard import Visitor
from armarium.web.pages import Page, PageRequest, form_pages, guarded
from armarium.web.paging import Number
from armarium.web.routes import Router
from armarium.web.services import service

ADDRESS = "/planning/fields"
pages = Router(prefix=ADDRESS)
api = Router(prefix="/fields", tags=["fields"])

Fields = Annotated[ExtendedFields, Depends(service(ExtendedFields))]
VIEW, CHANGE = Permission.PLANNING_VIEW, Permission.PLANNING_RULES


class FieldGiven(BaseModel):
    """PUT replaces: what is not said is as here."""

    model_config = ConfigDict(extra="forbid", from_attributes=True)

    subject: FieldSubject
    name: str = Described(max_length=50)
    kind: FieldKind
    choices: list[str] = Described([], max_length=500)
    default_value: str = Described("", max_length=1000)
    help: str = Described("", max_length=1000)
    mandatory: bool = False
    active: bool = True
    place: int = Described(0, ge=0, le=LARGEST_PLACE)

    def new(self) -> NewField:
        return NewField(**{**self.model_dump(), "choices": tuple(self.choices)})


class FieldShown(FieldGiven):
    id: int


@api.get("", summary="List the custom fields of domains, of harvests, or of both", **operation(VIEW))
def list_fields(fields: Fields, subject: FieldSubject | None = None) -> list[FieldShown]:
    subjects = [subject] if subject else list(FieldSubject)
    return [FieldShown.model_validate(one) for chosen in subjects for one in fields.all(chosen)]


@api.post("", status_code=201, summary="Create a custom field", **operation(CHANGE))
def create_field(visitor: Visitor, given: FieldGiven, fields: Fields) -> FieldShown:
    return FieldShown.model_validate(fields.create(visitor.actor, given.new()))


@api.get("/{number}", summary="Read a custom field", **operation(VIEW))
def read_field(number: Number, fields: Fields) -> FieldShown:
    return FieldShown.model_validate(fields.get(number))


@api.put("/{number}", summary="Replace a custom field", **operation(CHANGE))
def replace_field(number: Number, visitor: Visitor, given: FieldGiven, fields: Fields) -> FieldShown:
    return FieldShown.model_validate(fields.change(visitor.actor, number, given.new()))


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


@pages.get("", dependencies=guarded(VIEW))
def fields_page(page: Page, fields: Fields) -> Response:
    """All of them on one page: people fill in a form, so there are a few dozen at most."""
    groups = [{"title": title, "fields": fields.all(subject)} for subject, title in SUBJECTS.items()]
    return page.show("planning/fields_list.html", groups=groups, kinds=KINDS, may_change=page.may(CHANGE))


def show(page: PageRequest, _: ExtendedFields, field: Field | None, form: Form) -> Response:
    return page.show(
        "planning/fields_show.html",
        form,
        field=field,
        subject_options=[(subject.value, title) for subject, title in SUBJECTS.items()],
        kind_options=[(kind.value, title) for kind, title in KINDS.items()],
        history=history_of(page.request, page.shell, "extended-field", field.id) if field else [],
        may_change=page.may(CHANGE),
        address=f"{ADDRESS}/{field.id if field else 'new'}",
    )


def save(page: PageRequest, fields: ExtendedFields, known: Field | None, form: Form) -> Response:
    if known is None:
        made = fields.create(page.actor, field_of(form))
        return page.done(ADDRESS, message("The field %(name)s is created.", name=made.name))
    changed = fields.change(page.actor, known.id, field_of(form), seen=form.get("seen"))
    return page.done(ADDRESS, message("The field %(name)s is saved.", name=changed.name))


def field_of(form: Form) -> NewField:
    with FormReader(form) as read:
        new = NewField(
            subject=read.choice("subject", FieldSubject, message("Choose one of the list.")),
            name=form.get("name"),
            kind=read.choice("kind", FieldKind, message("Choose one of the list.")),
            choices=read.lines("choices"),
            default_value=read.text("default_value"),
            help=form.get("help"),
            mandatory=read.ticked("mandatory"),
            active=read.ticked("active"),
            place=read.number("place", most=999_999_999) or 0,
        )
        return checked_definition(new)


def field_form(known: Field | None) -> Form:
    return form_of(known) if known else filled(subject="domain", kind="text", place=0, active="yes")


form_pages(pages, ExtendedFields, view=VIEW, change=CHANGE, form_of=field_form, show=show, save=save)
