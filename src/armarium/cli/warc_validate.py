"""`armarium warc validate`: check files against the standard, for people and for programs."""

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar

import typer

from armarium.cli.archive_files import STANDARD_INPUT, inside, opened, shown
from armarium.core.clock import now
from armarium.core.errors import Refused
from armarium.formats.validation import Options, Report, summary, table_rows, validate
from armarium.terminal.output import complain, say, show_json, show_table
from armarium.terminal.session import Json
from armarium.workflow.packages import faults_of, is_package

# --- The same work on many files at once, each in a process of its own: one that dies takes no other with it.


Answer = TypeVar("Answer")

# A pool's worker is not missed when the kernel ends it, and `imap` waits for its answer for ever; an executor
# tells that one died, but not over which file. A child for each file costs milliseconds and tells both.
_FORK = multiprocessing.get_context("fork")


class Died(NamedTuple):
    """The process gave no answer."""

    exit_code: int  # as in `multiprocessing`: a signal is negative


class _Child(NamedTuple):
    place: int  # of its name among all
    process: Any


def side_by_side(work: Callable[[str], Answer], names: Sequence[str], most: int) -> "Iterator[Answer | Died]":
    """The answers in the order of the names, from at most so many processes at the same time.

    Whoever stops asking, also by Ctrl-C, ends those that still run.
    """
    running: dict[Connection, _Child] = {}
    answers: dict[int, Answer | Died] = {}
    begun = given = 0
    try:
        while given < len(names):
            while begun < len(names) and len(running) < most:
                connection, process = _started(work, names[begun])
                running[connection] = _Child(begun, process)
                begun += 1
            for ready in wait(list(running)):
                assert isinstance(ready, Connection), "nothing else is waited for"
                child = running.pop(ready)
                answers[child.place] = _answer(ready, child.process)
            while given in answers:
                yield answers.pop(given)
                given += 1
    finally:
        for child in running.values():
            child.process.kill()
            child.process.join()


def _started(work: Callable[[str], Answer], name: str) -> tuple[Connection, Any]:
    receiving, sending = _FORK.Pipe(duplex=False)
    process = _FORK.Process(target=_work, args=(work, name, sending), daemon=True)
    process.start()
    sending.close()  # or its end would not be noticed
    return receiving, process


def _work(work: Callable[[str], Answer], name: str, sending: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is left to the process that asked
    sending.send(work(name))


def _answer(receiving: Connection, process: Any) -> Any:
    with receiving:
        try:
            answer = receiving.recv()
        except (EOFError, OSError):  # nothing came, or half an answer
            process.join()
            return Died(process.exitcode or 0)
    process.join()
    return answer


# --- The command.


WHOLE = ""  # what there is to complain of a package that is as it says


def validate_files(
    files: Annotated[
        list[Path],
        typer.Argument(allow_dash=True, help="WARC, ARC or WACZ files; - is standard input."),
    ],
    strict: Annotated[
        bool, typer.Option("--strict", help="Warnings make a file invalid too, not only errors.")
    ] = False,
    jobs: Annotated[int, typer.Option(help="How many files to check at the same time.", min=1, max=256)] = 1,
    as_json: Json = False,
) -> None:
    """Check files against the WARC and ARC standards, down to the last digest.

    Exit code 0 if all are valid, 1 if one is not or cannot be read. With --json the answer is an object, or a
    list of objects for several files; that of a file which cannot be read says why under `refused`.

    \b
    Examples:
      armarium warc validate crawl.warc.gz
      armarium warc validate --strict --jobs 4 --json *.warc.gz > report.json
    """
    answers: list[object] = []
    all_valid = True
    names = [name for path in files for name in _with_inside(str(path))]
    for name, outcome in zip(names, _outcomes(names, Options(strict=strict, now=now()), jobs), strict=True):
        if outcome == WHOLE:
            answers.append({"file": name, "valid": True})
            say(f"{name}: valid WACZ; its files follow.") if not as_json else None
        elif isinstance(outcome, str):
            complain(outcome)
            answers.append({"file": name, "valid": False, "refused": outcome})
        elif as_json:
            answers.append(outcome.to_json())
        else:
            _show(outcome)
        all_valid = all_valid and (outcome == WHOLE or (isinstance(outcome, Report) and outcome.valid))
    if as_json:
        show_json(answers if len(names) > 1 else answers[0])
    if not all_valid:
        raise typer.Exit(1)


def _with_inside(name: str) -> list[str]:
    try:
        return [name, *inside(name)]
    except Refused:  # said when its turn comes
        return [name]


def _outcomes(names: list[str], options: Options, jobs: int) -> Iterator[Report | str]:
    """The report on each file in turn, or the sentence that says why there is none."""
    check = partial(_check, options=options)
    # A process beside this one has no standard input.
    if jobs == 1 or len(names) == 1 or STANDARD_INPUT in names:
        yield from (check(name, silent=True) for name in names)
        return
    for name, outcome in zip(names, side_by_side(check, names, jobs), strict=True):
        yield _ended(name, outcome.exit_code) if isinstance(outcome, Died) else outcome


def _check(name: str, options: Options, *, silent: bool = False) -> Report | str:
    try:
        if name != STANDARD_INPUT and is_package(Path(name)):
            return " ".join([f"{name}:", *faults]) if (faults := faults_of(Path(name))) else WHOLE
        with opened(name, silent=silent) as file:
            return validate(file, name=name, options=options)
    except Refused as refused:
        return str(refused)
    except MemoryError:
        return f"{shown(name)} cannot be checked: there is not enough memory. Check it alone, with --jobs 1."


def _ended(name: str, exit_code: int) -> str:
    how = f"by signal {-exit_code}" if exit_code < 0 else f"with exit code {exit_code}"
    return (
        f"{shown(name)} was not checked to its end: the process that did so was ended {how}, "
        "perhaps for want of memory. Check it alone, with --jobs 1."
    )


def _show(report: Report) -> None:
    say(summary(report))
    rows = [
        (row.severity, row.code, row.offset, row.record, f"{row.message}\n{row.hint}".strip())
        for row in table_rows(report)
    ]
    if rows:
        show_table(("Severity", "Code", "Byte", "Record", "What"), rows)
        say("")
