"""A picture of a capture."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class State(StrEnum):
    ASKED = "asked"
    TAKEN = "taken"
    FAILED = "failed"


class Place(NamedTuple):
    """A capture as the index names it."""

    key: str
    timestamp: str


@dataclass(frozen=True)
class Wanted:
    place: Place
    url: str


@dataclass(frozen=True)
class Thumbnail:
    """A capture of a page, and what is known of its picture."""

    place: Place
    url: str
    state: State
