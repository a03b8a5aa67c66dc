"""Commands for files of records."""

import sys
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import typer

from armarium.core.errors import Refused
from armarium.languages.speech import say as said
from armarium.selection.collections.service import Collections
from armarium.selection.exchange.columns import chosen
from armarium.selection.exchange.exporting import Exports, Format
from armarium.selection.exchange.model import Fault, Import, ImportState, Mode
from armarium.selection.exchange.service import Imports, pieces_of
from armarium.selection.permissions import shell_editor
from armarium.selection.search.model import Question
from armarium.terminal.output import say, show_json, show_table
from armarium.terminal.progress import progress
from armarium.terminal.session import Json, operator, service, session

SHOWN = 50  # faults that a terminal shows; JSON has them all


def export_records(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="File to write, .csv or .xlsx; - is standard output, as CSV.")],
    search: Annotated[
        str, typer.Option(help="Only what this search finds, as in the address of its page: state=proposed.")
    ] = "",
    column: Annotated[
        list[str] | None, typer.Option(help="Keys of columns, several times or with commas; none: all.")
    ] = None,
) -> None:
    """Write records to a file, as CSV or for Excel."""
    to_standard_output = str(file) == "-"
    kind = Format.XLSX if file.suffix.lower() == ".xlsx" else Format.CSV
    columns, question = chosen(column or ()), Question.parse(search)
    with service(context, Exports) as exports:
        numbers = exports.numbers(question)
        if to_standard_output:
            for piece in exports.pieces(numbers, kind, columns):
                sys.stdout.buffer.write(piece)
            sys.stdout.buffer.flush()
            return
        try:
            with progress("Exporting records") as told, file.open("wb") as out:
                out.writelines(exports.pieces(numbers, kind, columns, told=told))
        except OSError as problem:
            raise Refused(f"{file} cannot be written: {problem.strerror}.") from problem
    say(f"{len(numbers):,} records written to {file}.")


def import_records(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A .csv or .xlsx file; its first line names the columns.")],
    collection: Annotated[str, typer.Option(help="For lines that name no collection.")] = "",
    dry_run: Annotated[bool, typer.Option(help="Only say what would happen.")] = False,
    good: Annotated[bool, typer.Option(help="Import the good lines although others are bad.")] = False,
    as_json: Json = False,
) -> None:
    """Import records from a file: if all lines are good, or with --good those that are."""
    mode = Mode.TRIAL if dry_run else Mode.GOOD if good else Mode.ALL
    with session(context).services() as services:
        imports = services.get(Imports)
        chosen_one = services.get(Collections).named(collection).id if collection else None
        with _opened(file) as opened:
            pieces = pieces_of(opened)
            kept = imports.keep(shell_editor(operator()), file.name, pieces, mode, chosen_one)
        with progress("Importing records", quiet=as_json) as told:
            done = imports.run(kept.id, told)
        faults = list(imports.all_faults(done.id))
    if as_json:
        show_json(_described(done, faults))
    else:
        _report(done, faults)
    if done.state is ImportState.REFUSED:
        raise typer.Exit(1)


def _opened(file: Path) -> BinaryIO:
    try:
        return file.open("rb")
    except OSError as problem:
        raise Refused(f"{file} cannot be read: {problem.strerror}.") from problem


def _described(done: Import, faults: list[Fault]) -> dict[str, Any]:
    return {
        "id": done.id,
        "mode": done.mode.value,
        "state": done.state.value,
        "counts": vars(done.counts),
        "notes": [said(note) for note in done.notes],
        "error": said(done.error) if done.error else None,
        "faults": [{**one._asdict(), "text": said(one.text)} for one in faults],
    }


def _report(done: Import, faults: list[Fault]) -> None:
    for note in done.notes:
        say(said(note))
    if done.error:
        say(said(done.error))
    counts = done.counts
    would = "" if done.state is ImportState.IMPORTED else "would be "
    say(
        f"{counts.lines:,} lines: {counts.created:,} records {would}made, {counts.changed:,} {would}changed, "
        f"{counts.unchanged:,} unchanged, {counts.refused:,} bad lines."
    )
    if faults:
        rows = ((one.line, one.column, one.given, said(one.text)) for one in faults[:SHOWN])
        show_table(("Line", "Column", "Given", "Problem"), rows)
    if len(faults) > SHOWN:
        say(f"{len(faults) - SHOWN:,} more: --json names them all.")
