"""`armarium reading readers`: accreditation, from a shell."""

from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer

from armarium.access.accreditation.model import Accreditation, AccreditationFilter, AccreditationState, Period
from armarium.access.accreditation.schemas import outcome_shown, shown
from armarium.access.accreditation.service import Accreditations, Imports
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.terminal.groups import group
from armarium.terminal.output import show_json, show_one, show_rows, show_table
from armarium.terminal.session import Json, operator, service

readers_commands = group("Readers whom the library has accredited.")

FirstDay = Annotated[
    datetime | None, typer.Option("--from", formats=["%Y-%m-%d"], help="First day; usually today.")
]
LastDay = Annotated[datetime | None, typer.Option("--to", formats=["%Y-%m-%d"], help="Last day, included.")]
NoteOption = Annotated[str | None, typer.Option("--note", help="What staff should know.")]
Id = Annotated[int, typer.Argument(help="The accreditation's number.", min=1)]
EVERY = 100_000
YEAR = timedelta(days=364)


def show(accreditation: Accreditation, today: date, as_json: bool) -> None:
    show_one(shown(accreditation, today).model_dump(mode="json"), as_json)


@readers_commands.command("list")
def list_readers(
    context: typer.Context,
    state: Annotated[AccreditationState | None, typer.Option(help="Only those in this state.")] = None,
    text: Annotated[str, typer.Option(help="Part of a name, a mail address or a note.")] = "",
    as_json: Json = False,
) -> None:
    """List accreditations; those that end first come first."""
    with service(context, Accreditations) as accreditations:
        found, _ = accreditations.page(AccreditationFilter(text, state), limit=EVERY)
        facts = [shown(one, accreditations.today()).model_dump(mode="json") for one in found]
    keys = ("id", "name", "state", "first_day", "last_day", "note")
    columns = ("Number", "Name", "State", "First day", "Last day", "Note")
    rows = ([one[key] for key in keys] for one in facts)
    show_rows(facts, as_json, columns, rows, empty="No accreditations.", noun="accreditation")


@readers_commands.command("add")
def add_reader(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Name of the reader's account.")],
    first: FirstDay = None,
    last: LastDay = None,
    note: NoteOption = None,
    as_json: Json = False,
) -> None:
    """Accredit a reader who has an account, for a year unless another last day is named."""
    with service(context, Accreditations) as accreditations:
        begin = first.date() if first else accreditations.today()
        period = Period(begin, last.date() if last else begin + YEAR)
        added = accreditations.add(operator(), name, period, note or "")
        show(added, accreditations.today(), as_json)


@readers_commands.command("renew")
def renew_reader(
    context: typer.Context, number: Id, last: LastDay = None, note: NoteOption = None, as_json: Json = False
) -> None:
    """Let an accreditation last until another day: usually a year more."""
    with service(context, Accreditations) as accreditations:
        before = accreditations.get(number)
        until = last.date() if last else before.last_day + timedelta(days=365)
        period = Period(before.first_day, until)
        changed = accreditations.change(operator(), number, period, before.note if note is None else note)
        show(changed, accreditations.today(), as_json)


@readers_commands.command("end")
def end_reader(context: typer.Context, number: Id, as_json: Json = False) -> None:
    """End an accreditation at once."""
    with service(context, Accreditations) as accreditations:
        show(accreditations.end(operator(), number), accreditations.today(), as_json)


@readers_commands.command("import")
def import_readers(
    context: typer.Context,
    file: Annotated[
        Path, typer.Argument(help="CSV: name, first day, last day, note.", exists=True, dir_okay=False)
    ],
    try_only: Annotated[bool, typer.Option("--dry-run", help="Only tell what would be done.")] = False,
    as_json: Json = False,
) -> None:
    """Accredit all readers of a list, or none of them if one line is wrong."""
    with service(context, Accreditations) as accreditations:
        outcome = Imports(accreditations).run(operator(), _text(file), try_only=try_only)
    found = outcome_shown(outcome)
    if as_json:
        show_json(found.model_dump(mode="json"))
    else:
        good = "accredited" if outcome.done else "would be accredited"
        rows = ((one.number, one.name, one.problem or good) for one in found.lines)
        show_table(("Line", "Name", "Outcome"), rows)
    if outcome.faults:
        raise typer.Exit(1)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise Refused(message("%(file)s is not UTF-8. Save it as CSV in UTF-8.", file=str(file))) from None
