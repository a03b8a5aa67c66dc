"""The list of files: what is asked for, its columns, and what is seen as a file for a spreadsheet."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.responses import Response

from armarium.core.message import message
from armarium.storage.files.catalogue import Catalogue
from armarium.storage.files.labels import FILE_STATES, KINDS, shown_file
from armarium.storage.files.model import CopiesSought, FileFilter
from armarium.storage.model import FileKind, FileState
from armarium.web.lists import Column, Columns, csv_answer
from armarium.web.numbers import number_in

FILTERS = ("q", "kind", "state", "job", "harvest", "accession", "copies", "replica")
MOST_EXPORTED = 10_000  # rows
HARVESTS_OFFERED = 30

COPIES = {
    CopiesSought.DAMAGED: message("damaged or missing"),
    CopiesSought.UNFINISHED: message("incomplete"),
}
COLUMNS = Columns(
    "files",
    (
        Column("state", message("State")),
        Column("copies", message("Copies")),
        Column("kind", message("Type"), usual=False),
        Column("source", message("Source")),
        Column("harvest", message("Harvest"), usual=False),
        Column("size", message("Size")),
        Column("registered", message("Received")),
        Column("stored", message("Stored"), usual=False),
        Column("sha", message("SHA-256"), usual=False),
    ),
)
HEAD = (
    *(message("Name"), message("State"), message("Type"), message("Size in bytes"), message("Job")),
    *(message("Harvest"), message("Import"), message("Received"), message("Stored"), message("SHA-256")),
)
CELLS = ("name", "state", "kind", "size", "job", "harvest", "accession", "registered", "stored", "sha256")


def filter_by(given: Mapping[str, str]) -> FileFilter:
    """What cannot be meant is passed over: the fields show what was typed."""
    return FileFilter(
        text=given["q"],
        kind=FileKind(given["kind"]) if given["kind"] in set(FileKind) else None,
        state=FileState(given["state"]) if given["state"] in set(FileState) else None,
        job=number_in(given["job"]),
        harvest=number_in(given["harvest"]),
        accession=number_in(given["accession"]),
        copies=CopiesSought(given["copies"]) if given["copies"] in set(CopiesSought) else None,
        replica=number_in(given["replica"]),
    )


def chips(catalogue: Catalogue, given: Mapping[str, str]) -> list[tuple[str, Any, Sequence[tuple[Any, Any]]]]:
    """The questions above the list. Jobs and imports are too many to choose from: other pages lead here."""
    harvests = [str(number) for number in catalogue.latest_harvests(HARVESTS_OFFERED)]
    if given["harvest"] and given["harvest"] not in harvests:
        harvests.insert(0, given["harvest"])
    always: list[tuple[str, Any, Sequence[tuple[Any, Any]]]] = [
        ("kind", message("Type"), [(kind.value, title) for kind, title in KINDS.items()]),
        ("state", message("State"), [(state.value, title) for state, title in FILE_STATES.items()]),
        ("copies", message("Copies"), [(kind.value, title) for kind, title in COPIES.items()]),
        ("replica", message("Replica"), list(catalogue.replica_names().items())),
        ("harvest", message("Harvest"), [(one, one) for one in harvests]),
    ]
    others = (("job", message("Job")), ("accession", message("Import")))
    return [*always, *((name, label, [(given[name],) * 2]) for name, label in others if given[name])]


def exported(catalogue: Catalogue, sought: FileFilter) -> Response:
    found, _ = catalogue.page(sought, limit=MOST_EXPORTED)
    rows = (shown_file(file) for file in found)
    return csv_answer("files", HEAD, ([row[cell] for cell in CELLS] for row in rows))
