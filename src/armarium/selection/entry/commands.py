"""Commands of entry: look at addresses, and create records of those that answer."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.languages.speech import say
from armarium.selection.collections.model import Collection
from armarium.selection.collections.service import Collections
from armarium.selection.entry.checker import Look, Trouble, Verdict
from armarium.selection.entry.model import STATES, TROUBLES, ChosenLine, CommonValues, Line, LineState
from armarium.selection.entry.service import Checks
from armarium.selection.model import Budget, Depth, Frequency
from armarium.selection.permissions import shell_editor
from armarium.terminal.output import show_json, show_table
from armarium.terminal.session import Json, operator, service, session

Addresses = Annotated[list[str], typer.Argument(help="Addresses; example.org is enough.")]
InCollection = Annotated[str, typer.Option("--collection", help="Name of the collection.")]
InTheme = Annotated[str, typer.Option("--theme", help="Theme of the records; else the usual one.")]
Take = Annotated[bool, typer.Option("--create", help="Create records of those that answer.")]
File = Annotated[Path | None, typer.Option(help="A file with an address on each line; - for standard input.")]


def check(context: typer.Context, addresses: Addresses, as_json: Json = False) -> None:
    """Look at addresses as the crawler would see them; nothing is kept. Exit code 1 if one is invalid."""
    with service(context, Checks) as checks:
        found = checks.look(addresses)
    if as_json:
        show_json([described(look) for look in found])
    else:
        rows = ((one.url, *in_words(one), one.title) for one in found)
        show_table(("Address", "State", "Result of the check", "Title"), rows, empty="No addresses.")
    if any(look.verdict is Verdict.INVALID for look in found):
        raise typer.Exit(1)


def enter(
    context: typer.Context,
    collection: InCollection,
    addresses: Annotated[list[str] | None, typer.Argument(help="Addresses; example.org is enough.")] = None,
    file: File = None,
    create: Take = False,
    theme: InTheme = "",
    budget: Annotated[Budget | None, typer.Option(help="Else the usual one.")] = None,
    frequency: Annotated[Frequency | None, typer.Option(help="Else the usual one.")] = None,
    depth: Annotated[Depth | None, typer.Option(help="Else the usual one.")] = None,
    as_json: Json = False,
) -> None:
    """Enter addresses for a collection, look at them now, and create records of those that answer."""
    pasted = "\n".join([*(addresses or ()), *lines_of(file)])
    editor = shell_editor(operator())
    with session(context).services() as services:
        checks, chosen = services.get(Checks), services.get(Collections).named(collection)
        common = common_of(chosen, theme, budget, frequency, depth) if create else None
        batch = checks.enter(editor, chosen.id, pasted, soon=False)
        checks.run(batch.id)
        lines = checks.lines(batch.id)
        taken = [ChosenLine(line.check.id, line.preferred) for line in lines if line.ticked]
        if common and taken:
            checks.take(editor, batch.id, taken, common)
            lines = checks.lines(batch.id)
    if as_json:
        return show_json({"batch": batch.id, "lines": [described_line(line) for line in lines]})
    rows = (
        (
            line.check.line,
            line.check.address or line.check.typed,
            *line_in_words(line),
            line.check.record or "",
        )
        for line in lines
    )
    return show_table(("Line", "Address", "State", "Result of the check", "Record"), rows, empty="No lines.")


def common_of(
    chosen: Collection, theme: str, budget: Budget | None, frequency: Frequency | None, depth: Depth | None
) -> CommonValues:
    named = chosen.theme_named(theme) if theme else None
    number = named.id if named else chosen.default_theme
    if number is None or (theme and named is None):
        raise Refused(
            message("Name one of the themes of %(name)s with --theme.", name=chosen.name), field="theme"
        )
    return CommonValues(number, **vars(chosen.chosen(budget, frequency, depth)))


def lines_of(file: Path | None) -> list[str]:
    if file is None:
        return []
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(
            f"{file} cannot be read: {getattr(error, 'strerror', '') or 'it is no text in UTF-8'}."
        ) from error
    return text.splitlines()


def described(look: Look) -> dict[str, Any]:
    values = asdict(look) | {"final": look.final}
    values["picture"] = len(look.picture)  # bytes: pictures are for pages
    return values


def described_line(line: Line) -> dict[str, Any]:
    return asdict(line.check) | {
        "state": line.state,
        "final": line.check.final,
        "choices": line.choices,
        "here": [one.id for one in line.here.values()],
        "elsewhere": [one.id for one in line.elsewhere],
        "beside": [one.id for one in line.beside],
    }


def in_words(look: Look) -> tuple[str, str]:
    state = say(STATES[LineState(look.verdict.value)][0])
    return state, _seen(look.trouble, look.steps[-1].status if look.steps else 0, look.final)


def line_in_words(line: Line) -> tuple[str, str]:
    return say(STATES[line.state][0]), _seen(line.check.trouble, line.check.status, line.check.final)


def _seen(trouble: Trouble, status: int, final: str) -> str:
    if trouble is Trouble.NONE:
        return f"{status} {final}" if status else final
    return f"{say(TROUBLES[trouble])} ({status})" if status else say(TROUBLES[trouble])
