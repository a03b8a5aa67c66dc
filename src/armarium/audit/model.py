"""An entry of the audit log."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from armarium.core.actor import Via


@dataclass(frozen=True)
class Entry:
    id: int
    at: datetime
    actor: str  # the name at that time: accounts may be renamed later
    account: int | None
    via: Via
    address: str | None
    action: str  # "account.created"
    object_kind: str
    object_id: str
    object_name: str
    before: Mapping[str, object]
    after: Mapping[str, object]

    def differences(self) -> list[tuple[str, object, object]]:
        """Name, value before, value after, for each value that changed."""
        names = sorted({*self.before, *self.after})
        pairs = ((name, self.before.get(name), self.after.get(name)) for name in names)
        return [(name, old, new) for name, old, new in pairs if old != new]


@dataclass(frozen=True)
class Question:
    """What to look for in the log; an empty field asks nothing."""

    actor: str = ""
    action: str = ""
    object_kind: str = ""
    object_id: str = ""
    object_name: str = ""  # a part of it is enough
    since: date | None = None
    until: date | None = None  # this day included
    zone: str = "UTC"  # whose days these are
    below: int | None = None  # only entries before this one: to go through a log that grows meanwhile
