"""A finding, and what a job tells of a record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from armarium.selection.model import Budget


class Kind(StrEnum):
    OBSERVATION = "observation"  # of a person; the others are made by harvests
    NOTHING = "nothing"  # not one object was collected
    OBJECT_LIMIT = "object-limit"
    BYTE_LIMIT = "byte-limit"
    BLOCKED = "blocked"  # the server refused further requests, or all of them
    DEAD = "dead"  # the server has no such page any more
    MOVED = "moved"  # a seed leads to another site
    EMPTY = "empty"  # a page without a single byte
    UNREACHABLE = "unreachable"  # no server answered


@dataclass(frozen=True)
class Result:
    """What one job brought for one configuration."""

    configuration: int
    job: int
    at: datetime
    objects: int
    bytes: int
    stop: str  # in planning's words
    max_objects: int | None
    max_bytes: int | None
    seeds: Sequence[Mapping[str, Any]] = ()  # with which something is wrong: url, verdict, status, redirect


@dataclass(frozen=True)
class Observed:
    """What a result gives reason to say."""

    kind: Kind
    budget: Budget | None = None  # that is proposed
    seeds: Sequence[Mapping[str, Any]] = ()  # of which it is said


@dataclass(frozen=True)
class Finding:
    id: int
    record: int
    record_name: str
    collection: int
    collection_name: str
    at: datetime
    author: str
    kind: Kind
    text: str
    proposal: str
    budget: Budget | None
    job: int | None
    facts: Mapping[str, Any]
    done: bool
    closed_at: datetime | None
    closed_by: str
