"""Viewings as the API and commands show them, and as programs give them."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from armarium.access.viewings.model import (
    LONGEST_NOTE,
    LONGEST_TEXT,
    MOST_JOBS,
    MOST_MISSING,
    Missing,
    Viewing,
)
from armarium.access.viewings.protocols import Fate, Handed
from armarium.languages.speech import say
from armarium.web import schemas
from armarium.web.numbers import Amount, Id

Title = Annotated[str, Field(max_length=LONGEST_TEXT)]
Note = Annotated[str, Field(max_length=LONGEST_NOTE)]
Jobs = Annotated[list[Id], Field(max_length=MOST_JOBS)]


VIEWING = schemas.shown(
    Viewing,
    "ViewingShown",
    only=(
        *("id", "name", "owner", "title", "note", "jobs", "recording", "open", "handed", "passed_over"),
        *("created_at", "ended_at"),
    ),
    name=str,  # the collection on the readers' site
)
MISSING = schemas.shown(Missing, "MissingShown", without=("viewing", "key"))


class NewViewing(BaseModel):
    """Jobs by their numbers, or those of a run, or both."""

    model_config = ConfigDict(extra="forbid")

    jobs: Jobs = []
    run: Id | None = None
    title: Title = ""
    note: Note = ""


class ViewingPart(BaseModel):
    """PATCH: only what shall change."""

    model_config = ConfigDict(extra="forbid")

    jobs: Jobs | None = None
    title: Title | None = None
    note: Note | None = None
    recording: bool | None = None
    ended: bool | None = None


class HandOver(BaseModel):
    """To the harvest of this number, or to a new event harvest of this name."""

    model_config = ConfigDict(extra="forbid")

    missing: Annotated[list[Id], Field(max_length=MOST_MISSING)] | None = Field(
        None, description="Numbers of missing addresses; none: all that were not handed over yet."
    )
    harvest: Id | None = None
    name: Title = ""
    profile: Id
    max_bytes: Amount | None = None
    activate: bool = True


class LineShown(BaseModel):
    url: str
    result: Fate
    reason: str


class HandedShown(BaseModel):
    harvest: int
    name: str
    lines: list[LineShown]


class WordShown(BaseModel):
    user: str
    word: str


class Cleared(BaseModel):
    cleared: int


def handed_shown(handed: Handed) -> HandedShown:
    lines = [
        LineShown(url=line.url, result=line.fate, reason=say(line.reason) if line.reason else "")
        for line in handed.lines
    ]
    return HandedShown(harvest=handed.harvest, name=handed.name, lines=lines)
