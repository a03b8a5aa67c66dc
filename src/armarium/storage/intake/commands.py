"""`armarium store import`: existing collections, from the disk into the archive."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from armarium.languages.speech import byte_size
from armarium.storage.intake.model import NOT_TAKEN, Line, Outcome, Progress, Report
from armarium.storage.intake.naming import Rules, rename_rule
from armarium.storage.intake.service import Intake
from armarium.terminal.output import complain, say, show_json
from armarium.terminal.progress import progress
from armarium.terminal.session import Json, operator, service

TOLD = {
    Outcome.TAKEN: "taken",
    Outcome.WAITING: "registered, waiting for a replica",
    Outcome.KNOWN: "known before",
    Outcome.UNPACKED: "WACZ taken apart",
    Outcome.REFUSED: "refused",
    Outcome.FOREIGN: "no W/ARC file",
    Outcome.UNREADABLE: "unreadable",
    Outcome.PASSED: "passed over",
}
#: What needs somebody comes first.
ORDER = sorted(TOLD, key=lambda one: one not in NOT_TAKEN)


def import_files(
    context: typer.Context,
    path: Annotated[list[Path], typer.Argument(help="Files, and folders with all below them.")],
    name: Annotated[
        str, typer.Option(help="Name of the accession; the name of an earlier one goes on with it.")
    ] = "",
    note: Annotated[str, typer.Option(help="Where the files come from, and what should be known.")] = "",
    cdx: Annotated[
        Path | None,
        typer.Option(
            help="A CDX or CDXJ that speaks of the files, or a folder with one for each. Those that lie "
            "beside the files are found without it.",
            exists=True,
        ),
    ] = None,
    prefix: Annotated[str, typer.Option(help="Put this before the name of every file.")] = "",
    rename: Annotated[
        list[str] | None,
        typer.Option(
            help="Change the names of files by a rule as of sed, such as s/^old-([0-9]+)/new-\\1/. Can be "
            "repeated; the rules are applied one after the other.",
        ),
    ] = None,
    pass_over: Annotated[
        list[str] | None,
        typer.Option(help="Files of this name need not be taken; * stands for anything. Can be repeated."),
    ] = None,
    damaged: Annotated[
        bool,
        typer.Option("--damaged", help="Also take W/ARC files that cannot be read or are not finished."),
    ] = False,
    threads: Annotated[int, typer.Option(help="Files at a time.", min=1, max=64)] = 2,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Also say what is odd about files that were taken.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Take ARC, WARC and WACZ files into the archive. They stay where they are, and are not changed.

    Exit code 1: some were not taken, or are not yet in every replica; the report names each and says why. Do
    not delete the sources before the exit code is 0.
    """
    rules = Rules(prefix, [rename_rule(text) for text in rename or ()], damaged, pass_over or ())
    with service(context, Intake) as intake, progress_shown(as_json) as seen:
        report = intake.take(
            operator(),
            path,
            accession_name=name,
            note=note,
            cdx=cdx,
            rules=rules,
            most_threads=threads,
            progress=seen,
        )
    if as_json:
        show_json(described(report))
    else:
        tell(report, verbose)
    if not report.complete:
        raise typer.Exit(1)


@contextmanager
def progress_shown(quiet: bool) -> Iterator[Progress]:
    with progress("Importing files", quiet=quiet) as told:

        def show(report: Report, total: int) -> None:
            lost = sum(1 for _ in report.troubles)
            told(report.files, total, byte_size(report.bytes) + (f", {lost} not taken" if lost else ""))

        yield show


def tell(report: Report, verbose: bool) -> None:
    for line in report.troubles:
        complain(f"{line.path}: {TOLD[line.outcome]}. {line.remark}".rstrip())
    for line in report.remarks if verbose else ():
        complain(f"{line.path}: {TOLD[line.outcome]}. {line.remark}".rstrip())
    for name in report.unused_cdx:
        complain(f"The CDX names {name}, which is not among the files.")
    assert report.accession is not None
    counts = ", ".join(f"{report.counts[one]} {TOLD[one]}" for one in ORDER if report.counts[one])
    say(f"Accession {report.accession.id}, {report.accession.name}: {counts or 'no files'}.")
    say(f"{byte_size(report.bytes)} came into the archive.")
    if report.remarks and not verbose:
        say(f"There is something to say of {len(report.remarks)} of these files: see --verbose.")
    if report.counts[Outcome.WAITING]:
        complain(
            f"{report.counts[Outcome.WAITING]} of the files are not yet in every replica: do not delete the "
            "sources yet. Storing goes on by itself; import them again later to see whether all are stored."
        )


def described(report: Report) -> dict[str, object]:
    assert report.accession is not None
    return {
        "accession": report.accession.id,
        "name": report.accession.name,
        "counts": {outcome.value: count for outcome, count in sorted(report.counts.items())},
        "bytes": report.bytes,
        "complete": report.complete,
        "not_taken": [_line(line) for line in report.troubles],
        "remarks": [_line(line) for line in report.remarks],
        "cdx_without_file": report.unused_cdx,
    }


def _line(line: Line) -> dict[str, object]:
    return {"path": line.path, "outcome": line.outcome.value, "name": line.name, "remark": line.remark}
