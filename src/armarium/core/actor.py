"""Who does something, for the audit log and for permission checks."""

from dataclasses import dataclass
from enum import StrEnum


class Via(StrEnum):
    PAGE = "page"
    API = "api"
    COMMAND = "command"  # somebody with a shell on the server
    SYSTEM = "system"  # Armarium itself: scheduler, worker, supervisor


@dataclass(frozen=True)
class Actor:
    name: str  # the account's name, the shell user's, or the process's
    via: Via
    account: int | None = None  # id of the account, if one is signed in
    address: str | None = None  # network address of the request, if there was one


SYSTEM = Actor(name="armarium", via=Via.SYSTEM)
