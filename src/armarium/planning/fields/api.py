"""The API of extended fields."""

from typing import Annotated

from fastapi import Depends
from pydantic import BaseModel, ConfigDict
from pydantic import Field as Described

from armarium.accounts.model import Permission
from armarium.planning.fields.rules import LARGEST_PLACE, FieldKind, FieldSubject, NewField
from armarium.planning.fields.service import ExtendedFields
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import Number
from armarium.web.routes import Router
from armarium.web.services import service

api = Router(prefix="/fields", tags=["fields"])

Fields = Annotated[ExtendedFields, Depends(service(ExtendedFields))]
VIEW = operation(Permission.PLANNING_VIEW)
RULES = operation(Permission.PLANNING_RULES)


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


@api.get("", summary="List the extended fields of domains, of harvests, or of both", **VIEW)
def list_fields(fields: Fields, subject: FieldSubject | None = None) -> list[FieldShown]:
    subjects = [subject] if subject else list(FieldSubject)
    return [FieldShown.model_validate(one) for chosen in subjects for one in fields.all(chosen)]


@api.post("", status_code=201, summary="Create an extended field", **RULES)
def create_field(visitor: Visitor, given: FieldGiven, fields: Fields) -> FieldShown:
    return FieldShown.model_validate(fields.create(visitor.actor, given.new()))


@api.get("/{number}", summary="Read an extended field", **VIEW)
def read_field(number: Number, fields: Fields) -> FieldShown:
    return FieldShown.model_validate(fields.get(number))


@api.put("/{number}", summary="Replace an extended field", **RULES)
def replace_field(number: Number, visitor: Visitor, given: FieldGiven, fields: Fields) -> FieldShown:
    return FieldShown.model_validate(fields.change(visitor.actor, number, given.new()))
