"""Services that are made, and imported, when they are first asked for.

A group names its services as properties. The class that a property says it returns is the one by which pages
and commands ask for it:

    @service
    def harvests(self) -> "Harvests":
        return Harvests(self.database, self.tasks)

Most classes are names made by `late`, so that a command imports no other services than its own.
"""

import sys
from collections.abc import Mapping
from functools import cached_property
from typing import Any, TypeVar

from armarium.core.late import late

T = TypeVar("T")


class service(cached_property[T]):  # noqa: N801 - a decorator
    """A property that makes a service once, and under whose class it is found."""


def place_of(kind: Any) -> str:
    """Where a class stands, as `module:class`; one that is imported late knows it."""
    return kind.place if isinstance(kind, late) else f"{kind.__module__}:{kind.__qualname__}"


def services_of(group: type) -> Mapping[str, str]:
    """Which services a group makes: the place of the class, and the name of the property."""
    found = {}
    for ancestor in group.__mro__:
        names = vars(sys.modules[ancestor.__module__])
        for name, member in vars(ancestor).items():
            if isinstance(member, service):
                kind = member.func.__annotations__["return"]
                found[place_of(names[kind] if isinstance(kind, str) else kind)] = name
    return found
