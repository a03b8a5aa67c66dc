"""Collectors as the server knows them, the refusals that they act upon, and what of their reports is kept."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from typing import Any

from armarium.audit.service import Subject
from armarium.core.collecting import LEASE_LOST, REVOKED
from armarium.core.entities import named_values
from armarium.core.errors import ArmariumError
from armarium.core.message import Message, message

SILENCE = timedelta(minutes=5)  # a collector not heard of for so long is worth a look


class CollectorState(StrEnum):
    ACTIVE = "active"
    SILENT = "silent"  # may have work, but has not been heard of
    STOPPED = "stopped"  # gets no new work
    REVOKED = "revoked"  # its key opens nothing any more


@dataclass(frozen=True)
class Collector:
    id: int
    name: str
    active: bool
    channels: tuple[str, ...]
    slots: int  # jobs that it may have at a time; it may offer less
    failed_jobs: tuple[int, ...]  # one after the other, since it finished one
    signing_key: dict[str, str]  # public
    sealing_key: dict[str, str]  # public
    enrolled_at: datetime
    enrolled_by: str
    revoked_at: datetime | None
    seen_at: datetime | None
    address: str
    facts: Mapping[str, Any]  # what it said of itself last: core.collecting.Machine

    def state(self, now: datetime) -> CollectorState:
        if self.revoked_at:
            return CollectorState.REVOKED
        if not self.active:
            return CollectorState.STOPPED
        heard = self.seen_at or self.enrolled_at
        return CollectorState.SILENT if heard < now - SILENCE else CollectorState.ACTIVE

    def described(self) -> dict[str, object]:
        """The values that people change, as the audit log compares them."""
        return named_values(self, "channels", "slots", "active")

    @property
    def mark(self) -> str:
        """Changes with every value that people change."""
        shown = f"{sorted(self.channels)} {self.slots} {self.active} {self.revoked_at}"
        return sha256(shown.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class CollectorFilter:
    """Which collectors; an empty field asks nothing."""

    text: str = ""  # part of the name or of the machine's
    state: CollectorState | None = None
    channel: str = ""


@dataclass(frozen=True)
class NewCode:
    """A code at its birth: the only moment at which it can be read."""

    code: str
    expires_at: datetime
    channels: tuple[str, ...]


@dataclass(frozen=True)
class Work:
    """A job that a collector holds."""

    job: int
    attempt: int
    state: str
    harvest: str
    lease_until: datetime | None


class Code(StrEnum):
    """What a refusal is about, for the program that must act upon it. These words stay."""

    PROOF = "proof"
    REVOKED = REVOKED
    ENROLMENT = "enrolment-code"
    NAME_TAKEN = "name-taken"
    LEASE_LOST = LEASE_LOST
    VALUES = "values"
    TOO_LARGE = "too-large"
    NO_OFFER = "no-offer"
    OFFSET = "offset"
    OTHER_CONTENT = "other-content"
    CHECKSUM = "checksum"
    NOT_STORED = "not-stored"
    NO_ROOM = "no-room"


class Declined(ArmariumError):  # noqa: N818  (reads as what happened)
    """A refusal to a collector; `facts` are further members of the answer."""

    def __init__(self, code: Code, text: Message, **facts: object) -> None:
        super().__init__(text)
        self.code = code
        self.facts = facts


def lease_lost(job: int, attempt: int) -> Declined:
    return Declined(
        Code.LEASE_LOST,
        message(
            "Job %(job)s is not held under attempt %(attempt)s, or no longer: put it aside.",
            job=job,
            attempt=attempt,
        ),
    )


TOPIC = "collectors"


def subject(collector: Collector) -> Subject:
    return Subject("collector", collector.id, collector.name)


# What it reports, made fit for jsonb ----------------------------------------------------------------


DEEPEST = 20  # levels: reports have three or four
LONGEST_ANSWER = 100_000  # characters of an answer to a command
LARGEST = 2**63  # whole numbers beyond it break whoever reckons with them


def storable(value: Any, depth: int = 0) -> Any:
    """Without NUL and half characters, which a text cannot hold, and numbers that are none."""
    match value:
        case str():
            return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
        case float():
            return value if math.isfinite(value) else None
        case int():
            return value if -LARGEST <= value < LARGEST else None
        case Mapping() if depth < DEEPEST:
            return {storable(str(name)): storable(one, depth + 1) for name, one in value.items()}
        case list() | tuple() if depth < DEEPEST:
            return [storable(one, depth + 1) for one in value]
        case Mapping() | list() | tuple():
            return None
        case _:
            return value


def shortened(answer: dict[str, Any], most: int = LONGEST_ANSWER) -> dict[str, Any]:
    """An answer to a command that is not too long to be kept: of its longest list only the beginning."""
    answer = dict(answer)
    while len(json.dumps(answer, ensure_ascii=False)) > most:
        lists = [name for name, value in answer.items() if isinstance(value, list) and value]
        if not lists:
            return {"error": f"The answer was longer than {most} characters, and is not kept."}
        longest = max(lists, key=lambda name: len(json.dumps(answer[name], ensure_ascii=False)))
        answer[longest] = answer[longest][: len(answer[longest]) // 2]
        answer["complete"] = False
    return answer
