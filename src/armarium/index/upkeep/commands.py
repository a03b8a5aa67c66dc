"""Commands for the chain: what its page does, from a shell."""

from typing import Annotated, Any

import typer

from armarium.core.errors import Refused
from armarium.index.chain.service import Chain
from armarium.index.upkeep.api import shown_chain
from armarium.index.upkeep.service import Upkeep
from armarium.languages.speech import byte_size
from armarium.terminal.output import say, show_facts, show_json, show_table
from armarium.terminal.progress import look_again, progress
from armarium.terminal.session import Json, operator, session

upkeep_commands = typer.Typer()
MOST_FAILED = 1000


@upkeep_commands.command("status")
def status(context: typer.Context, as_json: Json = False) -> None:
    """Show how far the index is, its runs, what it is doing, and the files that failed."""
    with session(context).services() as services:
        upkeep = Upkeep.of(services)
        facts = shown_chain(upkeep).model_dump(mode="json")
        steps, _ = services.get(Chain).steps.page(limit=10)
        failed = [
            {"file": one.file, "name": one.name, "error": one.error}
            for one in upkeep.failed(limit=MOST_FAILED)
        ]
    if as_json:
        return show_json({**facts, "steps": [vars(step) for step in steps], "failed_files": failed})
    levels: dict[str, dict[str, int]] = facts.pop("levels")
    show_facts({**facts, "bytes": byte_size(facts["bytes"])})
    for level, one in levels.items():
        say(f"{level:<10} {one['runs']} runs, {one['lines']} lines, {byte_size(one['bytes'])}")
    if steps:
        rows = ([one.step, one.about, one.state, one.started_at, one.error or None] for one in steps)
        show_table(("Step", "About", "State", "Started", "Error"), rows)
    for file in failed:
        say(f"{file['name']} (file {file['file']}): {file['error']}")
    return None


@upkeep_commands.command("merge")
def merge(
    context: typer.Context,
    big: Annotated[bool, typer.Option(help="Merge all into the big run, today's files as well.")] = False,
    here: Annotated[bool, typer.Option(help="Do it in this process, not on a worker.")] = False,
    as_json: Json = False,
) -> None:
    """Merge the runs of the index now; by itself that is done every ten minutes, the big merge at night."""
    with session(context).services() as services:
        if not here:
            return _asked(Upkeep.of(services).merge(operator(), big=big), as_json)
        chain = services.get(Chain)
        merges = chain.merge_days() + (chain.merge_big(now=True) if big else 0)
    return show_json({"merges": merges}) if as_json else say(f"Merges that were done: {merges}.")


def _asked(asked: bool, as_json: bool) -> None:
    if as_json:
        return show_json({"asked": asked})
    return say(
        "A worker does it as soon as one is free." if asked else "That is waiting for a worker already."
    )


@upkeep_commands.command("rebuild")
def rebuild(
    context: typer.Context,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask whether that is meant.")] = False,
    follow: Annotated[
        bool, typer.Option("--follow", help="Wait for the end, and show how far it is.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Make all of the index anew from the files. Look-ups find only what has been indexed again so far.

    Imported indexes are forgotten: import their files again.
    """
    if not yes:
        typer.confirm(
            "Make all of the index anew? Until that is done, look-ups do not find everything.", abort=True
        )
    with session(context).services() as services:
        upkeep = Upkeep.of(services)
        files = upkeep.rebuild(operator())
        with progress("Indexing files", quiet=as_json) as told:
            while follow and (waiting := shown_chain(upkeep).waiting):
                told(files - waiting, files)
                look_again()
    return show_json({"files": files}) if as_json else say(f"Files that are indexed again: {files}.")


@upkeep_commands.command("retry")
def retry(
    context: typer.Context,
    file: Annotated[list[int] | None, typer.Argument(help="Numbers of files. None: all that failed.")] = None,
    as_json: Json = False,
) -> None:
    """Try files again that could not be indexed."""
    with session(context).services() as services:
        upkeep = Upkeep.of(services)
        troubles: dict[int, str] = {}
        for number in file or []:
            try:
                upkeep.retry(operator(), number)
            except Refused as refusal:
                troubles[number] = str(refusal)
        count = len(file) - len(troubles) if file else upkeep.retry_all(operator())
    facts: dict[str, Any] = {"files": count, "refused": troubles}
    if as_json:
        show_json(facts)
    else:
        say(f"Files that are tried again: {count}.")
        for trouble in troubles.values():
            say(trouble)
    if troubles:
        raise typer.Exit(1)
