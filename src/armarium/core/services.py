"""The services that a door assembled, looked up by their class."""

from collections.abc import Iterable
from typing import TypeVar, cast

T = TypeVar("T")


class Services:
    """One object per class; pages, commands and tasks ask for what they need."""

    def __init__(self, members: Iterable[object]) -> None:
        self._members = {type(member): member for member in members}

    def get(self, kind: type[T]) -> T:
        if kind not in self._members:
            raise LookupError(f"No {kind.__name__} was assembled: add it to the services of the door.")
        return cast(T, self._members[kind])
