"""`armarium warc validate`: check files against the standard, for people and for programs."""

import multiprocessing
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from armarium.cli.archive_files import opened
from armarium.core.clock import now
from armarium.core.errors import Refused
from armarium.formats.validation import Options, Report, summary, table_rows, validate
from armarium.terminal.output import complain, say, show_json, show_table
from armarium.terminal.session import Json


def validate_files(
    files: Annotated[
        list[Path],
        typer.Argument(allow_dash=True, help="WARC or ARC files; - is standard input."),
    ],
    strict: Annotated[
        bool, typer.Option("--strict", help="Warnings make a file invalid too, not only errors.")
    ] = False,
    jobs: Annotated[int, typer.Option(help="How many files to check at the same time.", min=1, max=256)] = 1,
    as_json: Json = False,
) -> None:
    """Check files against the WARC and ARC standards, down to the last digest.

    Exit code 0 if all are valid, 1 if one is not or cannot be read. With --json the answer is an object, or a
    list of objects for several files.

    \b
    Examples:
      armarium warc validate crawl.warc.gz
      armarium warc validate --strict --jobs 4 --json *.warc.gz > report.json
    """
    reports: list[Report] = []
    refused = False
    names = [str(path) for path in files]
    for outcome in _outcomes(names, Options(strict=strict, now=now()), jobs):
        if isinstance(outcome, str):
            complain(outcome)
            refused = True
        elif as_json:
            reports.append(outcome)
        else:
            _show(outcome)
        refused = refused or (isinstance(outcome, Report) and not outcome.valid)
    if as_json and reports:
        answers = [report.to_json() for report in reports]
        show_json(answers if len(names) > 1 else answers[0])
    if refused:
        raise typer.Exit(1)


def _outcomes(names: list[str], options: Options, jobs: int) -> Iterator[Report | str]:
    """The report on each file in turn, or the sentence that says why there is none."""
    check = partial(_check, options=options)
    if jobs == 1 or len(names) == 1:
        yield from (check(name, silent=True) for name in names)
        return
    # Leaving the pool ends its processes at once, also after Ctrl-C, which is left to this process.
    with multiprocessing.Pool(min(jobs, len(names)), signal.signal, (signal.SIGINT, signal.SIG_IGN)) as pool:
        yield from pool.imap(check, names)


def _check(name: str, options: Options, *, silent: bool = False) -> Report | str:
    try:
        with opened(name, silent=silent) as file:
            return validate(file, name=name, options=options)
    except Refused as refused:
        return str(refused)


def _show(report: Report) -> None:
    say(summary(report))
    rows = [
        (row.severity, row.code, row.offset, row.record, f"{row.message}\n{row.hint}".strip())
        for row in table_rows(report)
    ]
    if rows:
        show_table(("Severity", "Code", "Byte", "Record", "What"), rows)
        say("")
