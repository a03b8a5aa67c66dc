"""`armarium store rebuild`: the register from the replicas alone."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated

import typer

from armarium.languages.speech import byte_size
from armarium.storage.model import Replica
from armarium.storage.rebuild.model import Progress, Report
from armarium.storage.rebuild.service import Rebuild
from armarium.terminal.output import complain, say, show_json
from armarium.terminal.progress import progress
from armarium.terminal.session import Json, operator, service


def rebuild(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option(help="Read and vote, and write nothing.")] = False,
    without: Annotated[
        list[str] | None, typer.Option(help="A replica that is lost for good; again for several.")
    ] = None,
    archive: Annotated[
        str,
        typer.Option(
            help="The archive to which the replicas belong, as their marker armarium-replica.json says: if "
            "its database was lost. Only while the register is empty; every replica has to be one of it."
        ),
    ] = "",
    threads: Annotated[int, typer.Option(help="Files at a time.", min=1, max=64)] = 2,
    as_json: Json = False,
) -> None:
    """Enter every file that the replicas have and the register does not; its index is made anew, too.

    Every byte is read, and the replicas vote; where they differ, a copy that can be read as a W/ARC beats one
    that cannot. Nothing is repaired before a person has confirmed the vote (`armarium store repairs`), and no
    repair runs meanwhile. Exit code 1: some files wait for a person, or have damaged copies, or something
    in a replica is no copy and was passed over.
    """
    with service(context, Rebuild) as making, progress_shown(as_json) as seen:
        complain(voters_told(making.voters(without or ())))
        report = making.run(
            operator(),
            dry_run=dry_run,
            archive=archive,
            without=without or (),
            threads=threads,
            progress=seen,
        )
    if as_json:
        show_json(described(report))
    else:
        tell(report, dry_run)
    if report.doubtful:
        complain(voters_told(report.voters))
    if not dry_run and (report.undecided or report.damaged):
        complain(
            "Nothing was repaired. Look at the votes (armarium store repairs list --waiting), then confirm "
            "them: armarium store repairs approve --all, and armarium store repairs decide --help for those "
            "that are undecided. Or on the page /storage/repairs?state=waiting."
        )
    if report.troubles:
        raise typer.Exit(1)


def voters_told(voters: Sequence[Replica]) -> str:
    names = ", ".join(f"{voter.name} ({voter.kind.value})" for voter in voters)
    return (
        f"These replicas vote: {names}. If the lost database knew others, add them first "
        "(armarium store replicas add): what they have is not asked for otherwise."
    )


@contextmanager
def progress_shown(quiet: bool) -> Iterator[Progress]:
    with progress("Reading the replicas", quiet=quiet) as told:

        def show(report: Report) -> None:
            told(report.met, None, f"{byte_size(report.bytes)}, {report.undecided} undecided")

        yield show


def tell(report: Report, dry_run: bool) -> None:
    for trouble in report.troubles:
        complain(f"{trouble.name}: {trouble.what}")
    done = "would be entered" if dry_run else "entered"
    say(
        f"{report.met} files in the replicas: {report.known} known before, {report.clear} {done} "
        f"({byte_size(report.bytes)}), {report.undecided} undecided, {report.withdrawn} withdrawn, "
        f"{report.damaged} damaged copies, {report.strange} things that are no copies."
    )


def described(report: Report) -> dict[str, object]:
    return {
        "voters": [voter.name for voter in report.voters],
        "files": report.met,
        "known": report.known,
        "clear": report.clear,
        "undecided": report.undecided,
        "withdrawn": report.withdrawn,
        "damaged_copies": report.damaged,
        "strange": report.strange,
        "bytes": report.bytes,
        "troubles": [{"name": one.name, "what": one.what} for one in report.troubles],
    }
