"""What is imported when it is first used: a command, and what a process needs later or never."""

import gc
from functools import cache
from importlib import import_module
from typing import Any


def imported(place: str) -> Any:
    """What stands at `module:attribute`."""
    module, _, attribute = place.partition(":")
    # What is imported stays: a search for garbage in it takes a tenth of the time, and finds nothing.
    collects = gc.isenabled()
    gc.disable()
    try:
        return getattr(import_module(module), attribute)
    finally:
        if collects:
            gc.enable()


class LateModule:
    """A library that is imported when something of it is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return imported(f"{self._name}:{attribute}")


class late:  # noqa: N801 - it reads as a verb
    """The function or class at `module:attribute`, imported by its first call.

    What it is stands beside it, for the type checker and the rules of imports:

        if TYPE_CHECKING:
            from armarium.room.module import verb
        else:
            verb = late("armarium.room.module:verb")
    """

    def __init__(self, place: str) -> None:
        self.place = place
        self._found = cache(lambda: imported(place))

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self._found()(*given, **named)
