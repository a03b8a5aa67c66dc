"""Accreditations as the API and commands show them, and as programs give them."""

from datetime import date, datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from armarium.access.accreditation.model import LONGEST_NOTE, Accreditation, AccreditationState
from armarium.access.accreditation.service import MOST_LINES, Outcome
from armarium.languages.speech import say

Note = Annotated[str, Field(max_length=LONGEST_NOTE)]


class ReaderShown(BaseModel):
    id: int
    account: int
    name: str
    state: AccreditationState
    first_day: date
    last_day: date
    note: str
    created_at: datetime
    created_by: str
    ended_at: datetime | None
    ended_by: str


class NewReader(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, Field(max_length=200)]
    first_day: date
    last_day: date
    note: Note = ""


class ReaderPart(BaseModel):
    """PATCH: only what shall change."""

    model_config = ConfigDict(extra="forbid")

    first_day: date | None = None
    last_day: date | None = None
    note: Note | None = None


class ReaderList(BaseModel):
    model_config = ConfigDict(extra="forbid")

    lines: Annotated[list[NewReader], Field(max_length=MOST_LINES)]
    try_only: bool = False


class LineShown(BaseModel):
    number: int
    name: str
    problem: str | None


class ImportShown(BaseModel):
    done: bool
    lines: list[LineShown]


def shown(accreditation: Accreditation, today: date) -> ReaderShown:
    names = ReaderShown.model_fields.keys() - {"state"}
    values = {name: getattr(accreditation, name) for name in names}
    return ReaderShown(state=accreditation.state(today), **values)


def outcome_shown(outcome: Outcome) -> ImportShown:
    return ImportShown(
        done=outcome.done,
        lines=[
            LineShown(number=line.number, name=line.name, problem=say(line.fault) if line.fault else None)
            for line in outcome.lines
        ],
    )
