"""A picture of a capture."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from armarium.formats.cdx import CdxLine


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


class Taken(NamedTuple):
    """A picture, and all captures that may be seen in it: the page may embed others, or lead to them."""

    data: bytes
    parts: Sequence[CdxLine]


@dataclass(frozen=True)
class Thumbnail:
    """A capture of a page, and what is known of its picture."""

    place: Place
    url: str
    state: State
