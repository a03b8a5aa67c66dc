"""The services of a process, looked up by their class."""

from collections.abc import Callable, Iterable
from threading import RLock
from typing import TypeVar, cast

T = TypeVar("T")


def unknown(kind: type) -> object:
    raise LookupError(f"No {kind.__name__} was assembled: add it to the services of the server.")


class Services:
    """One object per class; pages, commands and tasks ask for what they need.

    `make`: what is not among the members is made by this when it is first asked for.
    """

    def __init__(self, members: Iterable[object], make: Callable[[type], object] = unknown) -> None:
        self._members = {type(member): member for member in members}
        self._make = make
        self._making = RLock()

    def has(self, kind: type) -> bool:
        """Whether it is there already."""
        return kind in self._members

    def get(self, kind: type[T]) -> T:
        if kind not in self._members:
            with self._making:
                if kind not in self._members:  # not made by another thread meanwhile
                    self._members[kind] = self._make(kind)
        return cast(T, self._members[kind])
