"""A group of commands that imports a command only when it is called: `armarium warc` needs no web framework.

Whoever is to be shown the names of the commands, a person or a shell, is shown the table.
"""

from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from typing import Any, ClassVar, NamedTuple

import typer

from armarium.core.late import imported
from armarium.terminal.groups import CommandGroup


class Command(NamedTuple):
    """A command that is not imported yet."""

    place: str  # module:attribute, which is a function or a typer app
    help: str  # the first sentence of its own help


class LazyGroup(CommandGroup):
    """Commands by a table. Make a subclass with one."""

    table: ClassVar[Mapping[str, Command]] = {}

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = _Commands(self.table)

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        return list(self.table)

    def summaries(self, ctx: Any) -> Iterable[tuple[str, str]]:  # noqa: ARG002
        return ((name, command.help) for name, command in self.table.items())


class _Commands(MutableMapping[str, Any]):
    """Names to commands, each built when it is asked for."""

    def __init__(self, table: Mapping[str, Command]) -> None:
        self._table = table
        self._built: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._built:
            self._built[name] = _built(name, self._table[name])
        return self._built[name]

    def __setitem__(self, name: str, command: Any) -> None:
        raise TypeError(f"The command {name} belongs into the table.")

    def __delitem__(self, name: str) -> None:
        raise TypeError(f"The command {name} stands in the table, and only there can it be taken out.")

    def __contains__(self, name: object) -> bool:
        return name in self._table  # without importing it

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)


def _built(name: str, command: Command) -> Any:
    found = imported(command.place)
    carrier = typer.Typer(rich_markup_mode=None)
    if isinstance(found, typer.Typer):
        carrier.add_typer(found, name=name)
    else:
        carrier.command(name)(found)
    return typer.main.get_group(carrier).commands[name]
