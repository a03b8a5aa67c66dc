"""One run of the command line: where the house is, and how to enter it."""

import os
import pwd
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from armarium.core.actor import Actor, Via
from armarium.core.services import Services

if TYPE_CHECKING:  # a command without a house needs none of it
    from armarium.settings import Settings

T = TypeVar("T")

Json = Annotated[bool, typer.Option("--json", help="Write JSON for programs instead of a table for people.")]


@dataclass(frozen=True)
class Session:
    """Made by the door, carried by typer to each command."""

    load: "Callable[[], Settings]"
    enter: "Callable[[Settings], AbstractContextManager[Services]]"

    def services(self) -> AbstractContextManager[Services]:
        """The house with its database open, for the length of a command."""
        return self.enter(self.load())


def session(context: typer.Context) -> Session:
    found = context.obj
    assert isinstance(found, Session)
    return found


@contextmanager
def service(context: typer.Context, kind: type[T]) -> Iterator[T]:
    """The service of this class, for the length of a command."""
    with session(context).services() as services:
        yield services.get(kind)


def operator() -> Actor:
    """Whoever has a shell here: already allowed to do anything to the data folder, but named in the log."""
    try:
        name = pwd.getpwuid(os.getuid()).pw_name  # not from $USER, which anybody can set
    except KeyError:  # an account without a name, as in some containers
        name = "operator"
    return Actor(name=name, via=Via.COMMAND)
