"""`armarium store files`: the files of the archive, from a shell."""

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from armarium.core.errors import NotFound, Refused
from armarium.core.services import Services
from armarium.db.database import Database
from armarium.languages.speech import byte_size
from armarium.storage.files.catalogue import Catalogue
from armarium.storage.files.downloads import NotThere, Stretch, record_stretch, stretch
from armarium.storage.files.model import CopiesSought, FileFilter, Mark
from armarium.storage.files.reading import Reader
from armarium.storage.files.service import Files
from armarium.storage.model import CopyState, File, FileState
from armarium.storage.replicas.service import Replicas
from armarium.terminal.groups import group
from armarium.terminal.output import on_terminal, show_json, show_summary, show_table, standard_output
from armarium.terminal.session import Json, operator, session
from armarium.terminal.tables import dated

files_commands = group("Files: list, show, get, withdraw, restore.", usual="list")

Name = Annotated[str, typer.Argument(help="The file's name.")]
Output = Annotated[
    Path | None, typer.Option("-o", "--output", help="Write to this file instead of standard output.")
]
Why = Annotated[str, typer.Option(help="Why: it stays in the history of the file.")]


def described(file: File, marks: Iterable[Mark]) -> dict[str, Any]:
    return {
        "id": file.id,
        "name": file.name,
        "kind": file.kind.value,
        "size": file.size,
        "sha256": file.sha256,
        "state": file.state.value,
        "origin": file.origin.value,
        "job": file.job,
        "harvest": file.harvest,
        "accession": file.accession,
        "registered_at": file.registered_at,
        "stored_at": file.stored_at,
        "copies": {mark.replica: mark.state.value for mark in marks},
    }


def shown(services: Services, file: File, as_json: bool) -> None:
    facts = described(file, Catalogue(services.get(Database)).marks_of([file])[file.id])
    if as_json:
        return show_json(facts)
    good = sum(state == CopyState.ACCEPTED.value for state in facts["copies"].values())
    states = {
        FileState.WITHDRAWN: f"Give it out again: armarium store files restore {file.name} --reason …",
        FileState.LOST: "Look for copies: armarium store repairs list --waiting",
    }
    return show_summary(
        file.name,
        file.state.value,
        {
            "Kind": f"{file.kind.value}, {byte_size(file.size)}",
            "Copies": f"{good} of {len(facts['copies'])} good: "
            + ", ".join(f"{replica} {state}" for replica, state in facts["copies"].items()),
            "SHA-256": file.sha256,
            "Came from": _origin(file),
            "Registered": dated(file.registered_at),
            "Stored": file.stored_at and dated(file.stored_at),
        },
        below=f"File {file.id}",
        hints=[states[file.state]] if file.state in states else [],
    )


def _origin(file: File) -> str:
    if file.job is not None:
        return f"job {file.job} of harvest {file.harvest}"
    return f"accession {file.accession}" if file.accession is not None else file.origin.value


@files_commands.command("list")
def list_files(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="Part of a name, or the beginning of a SHA-256.")] = "",
    state: Annotated[FileState | None, typer.Option(help="Only files in this state.")] = None,
    job: Annotated[int | None, typer.Option(min=1, help="Only files of this job.")] = None,
    harvest: Annotated[int | None, typer.Option(min=1, help="Only files of this harvest.")] = None,
    accession: Annotated[int | None, typer.Option(min=1, help="Only files of this accession.")] = None,
    copies: Annotated[
        CopiesSought | None, typer.Option(help="Only files of which some copy is damaged, or unfinished.")
    ] = None,
    replica: Annotated[str, typer.Option(help="Only files with a copy (or such a copy) there.")] = "",
    limit: Annotated[int, typer.Option(help="How many at most.", min=1, max=1_000_000)] = 1000,
    as_json: Json = False,
) -> None:
    """List files of the archive, the newest first.

    Example: armarium store files list --copies damaged --replica two
    """
    with session(context).services() as services:
        place = services.get(Replicas).named(replica).id if replica else None
        catalogue = Catalogue(services.get(Database))
        sought = FileFilter(text, state, job, harvest, accession, copies, place)
        found, amount = catalogue.page(sought, limit=limit)
        marks = catalogue.marks_of(found)
    facts = [described(file, marks[file.id]) for file in found]
    if as_json:
        return show_json(facts)
    rows = (
        (
            one["name"],
            one["state"],
            byte_size(one["size"]),
            one["job"],
            _copies_told(one["copies"]),
        )
        for one in facts
    )
    show_table(
        ("Name", "State", "Size", "Job", "Copies"),
        rows,
        empty="No file fits.",
        noun="file",
        total=amount.files,
    )
    return None


def _copies_told(copies: Mapping[str, str]) -> str:
    """How many are good; which are not, by name."""
    bad = [f"{replica}: {state}" for replica, state in copies.items() if state != CopyState.ACCEPTED.value]
    return ", ".join(bad) or f"{len(copies)} good"


@files_commands.command("show")
def show_file(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Show a file: what it is, where it came from, and how its copies are."""
    with session(context).services() as services:
        shown(services, services.get(Files).named(name), as_json)


@files_commands.command("get")
def get(
    context: typer.Context,
    name: Name,
    output: Output = None,
    range_: Annotated[
        str, typer.Option("--range", help="Only these bytes: 0-499, 500- or -500 (the last ones).")
    ] = "",
) -> None:
    """Write a file of the archive, compared with its checksum, to a file or to standard output.

    Example: armarium store files get job_6-metadata-1.warc.gz -o metadata.warc.gz
    """
    with session(context).services() as services:
        reader = services.get(Reader)
        file = given_out(services.get(Files), name)
        wanted = asked_for(range_, file.size) if range_ else None
        if output is not None and wanted is None:
            refuse_taken(output)
            reader.fetch(name, output)
        elif wanted is None:
            put_out(reader.pieces(name))
        else:
            put(reader.pieces(name, wanted.start, wanted.end), output)


@files_commands.command("record")
def record(
    context: typer.Context,
    name: Name,
    offset: Annotated[int, typer.Argument(min=0, help="The first byte of the record in the file.")],
    output: Output = None,
) -> None:
    """Write one record as it stands in the file, compressed or not."""
    with session(context).services() as services:
        reader = services.get(Reader)
        found = record_stretch(given_out(services.get(Files), name), offset, reader)
        put(reader.pieces(name, found.start, found.end), output)


@files_commands.command("withdraw")
def withdraw(context: typer.Context, name: Name, reason: Why, as_json: Json = False) -> None:
    """Give a file out no more, and take it out of the index. Its copies stay."""
    with session(context).services() as services:
        files = services.get(Files)
        shown(services, files.withdraw(operator(), files.named(name).id, reason), as_json)


@files_commands.command("restore")
def restore(context: typer.Context, name: Name, reason: Why, as_json: Json = False) -> None:
    """Give a withdrawn file out again."""
    with session(context).services() as services:
        files = services.get(Files)
        shown(services, files.restore(operator(), files.named(name).id, reason), as_json)


def given_out(files: Files, name: str) -> File:
    file = files.named(name)
    if file.state is FileState.WITHDRAWN:
        raise NotFound(
            f"{name} was withdrawn and is not given out. `armarium store files restore` undoes that."
        )
    return file


def asked_for(text: str, size: int) -> Stretch:
    try:
        found = stretch(text, size)
    except NotThere as none:
        raise Refused(str(none)) from none
    if found is None:
        raise Refused(f"Write a range as 0-499, 500- or -500; {text} is none.")
    return found


def put(pieces: Iterable[bytes], output: Path | None) -> None:
    if output is None:
        put_out(pieces)
        return
    refuse_taken(output)
    try:
        with output.open("xb") as target:
            target.writelines(pieces)
            target.flush()
            os.fsync(target.fileno())
    except OSError as error:
        raise Refused(f"{output} cannot be written: {error.strerror or error}.") from error


def refuse_taken(output: Path) -> None:
    if output.exists():
        raise Refused(f"{output} is there already, and is not overwritten. Name another file.")
    if not output.absolute().parent.is_dir():
        raise Refused(f"There is no folder {output.absolute().parent} to write to.")


def put_out(pieces: Iterable[bytes]) -> None:
    if on_terminal(sys.stdout):
        raise Refused("A terminal shows no archive files. Name a file with -o, or pipe the output on.")
    with standard_output() as out:
        for piece in pieces:
            out.buffer.write(piece)
        out.buffer.flush()
