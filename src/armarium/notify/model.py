"""A notification, and the channels that carry it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from armarium.core.message import Message
from armarium.settings import Section, Settings

OPERATORS = "operators"

# A message in a language: `armarium.languages.speech.translate`, passed in by the door.
Translate = Callable[[Message, str], str]


class Severity(StrEnum):
    INFORMATION = "information"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True)
class Notification:
    severity: Severity
    subject: Message
    text: Message
    key: str  # what it is about: the same key is not sent again within the quiet time
    audience: str = OPERATORS


@dataclass(frozen=True)
class Sent:
    """A notification in the history."""

    id: int
    at: datetime
    notification: Notification
    deliveries: Mapping[str, int]  # channel → task
    repeats: int  # how often it came again within the quiet time, and was not sent
    last_repeat: datetime | None


@dataclass(frozen=True)
class Letter:
    """Mail to one person, in that person's language."""

    recipient: str
    language: str
    subject: str
    text: str


class Channel(Protocol):
    """A way to reach people. Raises `TaskFailed` (permanent or not) if it could not."""

    def send(self, sent: Sent) -> None: ...


@dataclass(frozen=True)
class ChannelKind:
    """What a plug-in offers under an entry point of the group `armarium.notify`."""

    name: str
    make: Callable[[Settings, Translate], Channel]
    sections: tuple[type[Section], ...] = field(default=())  # its own settings, if it has any
