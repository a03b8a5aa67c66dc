"""`armarium store batches`: functions over many files, from a shell."""

import json
from typing import Annotated, Any

import typer

from armarium.core.errors import Refused
from armarium.storage.batches.model import Batch, Selection, SelectionKind, selection
from armarium.storage.batches.service import Batches
from armarium.storage.model import RunState
from armarium.terminal.groups import group
from armarium.terminal.output import (
    say,
    show_columns,
    show_facts,
    show_json,
    show_table,
    standard_output,
)
from armarium.terminal.progress import look_again, progress
from armarium.terminal.session import Json, operator, service

batch_commands = group("Batches: functions that run over many files.")

Number = Annotated[int, typer.Argument(min=1, help="The batch's number.")]
LOOK_SECONDS = 1.0  # between two looks at the progress


def described(batch: Batch) -> dict[str, Any]:
    return {
        "id": batch.id,
        "function": batch.function,
        "arguments": dict(batch.arguments),
        "selection": batch.selection.described(),
        "state": batch.state.value,
        "files_total": batch.files_total,
        "files": batch.files,
        "failures": batch.failures,
        "error": batch.error,
        "by": batch.by,
        "created_at": batch.created_at,
        "started_at": batch.started_at,
        "ended_at": batch.ended_at,
    }


def shown(batch: Batch, as_json: bool) -> None:
    facts = described(batch)
    if as_json:
        return show_json(facts)
    arguments = ", ".join(f"{name}={value}" for name, value in batch.arguments.items())
    chosen = " ".join(filter(None, batch.selection.described().values()))
    return show_facts({**facts, "arguments": arguments or None, "selection": chosen})


@batch_commands.command("functions")
def list_functions(context: typer.Context, as_json: Json = False) -> None:
    """List the functions that can be run, with their arguments."""
    with service(context, Batches) as batches:
        known = batches.functions()
    facts = [
        {
            "name": one.name,
            "arguments": {parameter.name: parameter.kind.__name__ for parameter in one.parameters},
            "text": one.text,
            "origin": one.origin,
        }
        for one in known.found.values()
    ]
    if as_json:
        return show_json({"functions": facts, "troubles": dict(known.troubles)})
    rows = (
        (one.name, " ".join(f"{given.name}={given.kind.__name__}" for given in one.parameters), one.text)
        for one in known.found.values()
    )
    show_table(("Name", "Arguments", "What it does"), rows)
    for file, trouble in known.troubles.items():
        say(f"{file} cannot be used: {trouble}")
    return None


@batch_commands.command("run")
def run(
    context: typer.Context,
    function: Annotated[str, typer.Argument(help="Its name, as `functions` lists it.")],
    argument: Annotated[list[str] | None, typer.Argument(help="Its arguments: name=value.")] = None,
    job: Annotated[int | None, typer.Option(min=1, help="Only files of this job.")] = None,
    harvest: Annotated[int | None, typer.Option(min=1, help="Only files of this harvest.")] = None,
    accession: Annotated[int | None, typer.Option(min=1, help="Only files of this accession.")] = None,
    name: Annotated[str, typer.Option(help="Only files whose name fits; * and ? stand for letters.")] = "",
    follow: Annotated[bool, typer.Option(help="Wait for the end, and show how far it is.")] = False,
    as_json: Json = False,
) -> None:
    """Run a function over stored files: all, or those chosen. Workers do it."""
    chosen = _selection(job=job, harvest=harvest, accession=accession, name=name)
    with service(context, Batches) as batches:
        batch = batches.start(operator(), function, _arguments(argument or []), chosen)
        if follow:
            batch = _followed(batches, batch, quiet=as_json)
    shown(batch, as_json)


def _arguments(given: list[str]) -> dict[str, str]:
    pairs = [one.partition("=") for one in given]
    if wrong := next((name for name, equals, _ in pairs if not equals), None):
        raise Refused(f"Arguments are written name=value; {wrong} is not.")
    return {name: value for name, _, value in pairs}


def _selection(**given: int | str | None) -> Selection:
    chosen = [(kind, value) for kind, value in given.items() if value]
    if len(chosen) > 1:
        raise Refused("Choose files by one of --job, --harvest, --accession and --name.")
    kind, value = chosen[0] if chosen else (SelectionKind.ALL.value, "")
    return selection(kind, str(value))


def _followed(batches: Batches, batch: Batch, *, quiet: bool) -> Batch:
    with progress(batch.function, quiet=quiet) as told:
        while batch.is_open:
            told(batch.files, batch.files_total)
            look_again()
            batch = batches.get(batch.id)
    return batch


@batch_commands.command("list")
def list_batches(
    context: typer.Context,
    state: Annotated[RunState | None, typer.Option(help="Only those in this state.")] = None,
    limit: Annotated[int, typer.Option(help="How many at most.", min=1, max=100_000)] = 100,
    as_json: Json = False,
) -> None:
    """List batches, the newest first."""
    with service(context, Batches) as batches:
        found, total = batches.page(state, limit=limit)
    facts = [described(one) for one in found]
    columns = {"Batch": "id", "Function": "function", "State": "state", "Files": "files"}
    columns |= {"Of": "files_total", "Errors": "failures", "Started": "created_at", "By": "by"}
    return show_columns(facts, as_json, columns, empty="No batch fits.", noun="batch", total=total)


@batch_commands.command("show")
def show(context: typer.Context, number: Number, as_json: Json = False) -> None:
    """Show how far a batch is."""
    with service(context, Batches) as batches:
        shown(batches.get(number), as_json)


@batch_commands.command("results")
def results(
    context: typer.Context,
    number: Number,
    as_json: Annotated[
        bool, typer.Option("--json", help="The results are JSON anyway: one line for each file.")
    ] = True,
) -> None:
    """Write the results that have come, and the errors: a line of JSON for each file."""
    del as_json
    with service(context, Batches) as batches, standard_output() as output:
        batches.get(number)
        for result in batches.all_results(number):
            output.write(json.dumps(result.described(), ensure_ascii=False) + "\n")
        output.flush()


@batch_commands.command("cancel")
def cancel(context: typer.Context, number: Number, as_json: Json = False) -> None:
    """Begin no further file. The results that have come stay."""
    with service(context, Batches) as batches:
        shown(batches.cancel(operator(), number), as_json)
