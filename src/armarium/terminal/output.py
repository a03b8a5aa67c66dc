"""What a command shows: a table for people, JSON for programs."""

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO

import typer

from armarium.core.errors import Refused
from armarium.core.late import late

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text
else:  # many commands show no table
    Console, Table = late("rich.console:Console"), late("rich.table:Table")
    Text = late("rich.text:Text")


def write(text: str) -> None:
    """Put text on standard output. A reader who left (`armarium audit | head`) ends the command in peace."""
    with standard_output() as output:
        output.write(text)
        output.flush()


@contextmanager
def standard_output() -> Iterator[TextIO]:
    """Standard output, to write to: whoever left ends the command in peace, a full disk with a sentence."""
    output: TextIO | None = sys.stdout  # None where the shell closed it: `armarium audit >&-`
    if output is None:
        raise Refused("There is no standard output to write to.")
    try:
        yield output
    except BrokenPipeError:
        let_go(output)
        raise typer.Exit(0) from None
    except OSError as error:
        let_go(output)
        raise Refused(f"Standard output cannot be written: {error.strerror or error}.") from error


def on_terminal(stream: TextIO | None) -> bool:
    """Whether a person looks on. A stream that the shell closed is None."""
    return stream is not None and stream.isatty()


def let_go(output: TextIO) -> None:
    """Let what could not be written go nowhere: Python tries once more at its end, and would complain."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, output.fileno())
    os.close(nowhere)


def show_json(value: object) -> None:
    text = json.dumps(value, indent=2, ensure_ascii=False, default=_plain)
    # A file name may hold bytes that are no text: they become \udcXX, which JSON allows.
    write(text.encode("utf-8", "backslashreplace").decode() + "\n")


def _plain(value: object) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, frozenset | set | tuple):
        return sorted(value)
    if isinstance(value, Mapping):
        return dict(value)
    return str(value)


def show_table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], *, empty: str = "Nothing found."
) -> None:
    """A table as wide as the terminal; in a pipe, as wide as its content, so that nothing is cut."""
    lines = [[_cell(value) for value in row] for row in rows]
    console = Console(width=None if on_terminal(sys.stdout) else 10_000)
    if not lines:
        return say(empty)
    table = Table(box=None, header_style="bold", pad_edge=False, show_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for line in lines:
        table.add_row(*line)
    with console.capture() as drawn:
        console.print(table)
    # The last column is not filled up: one long value would make every line as long.
    return write("".join(f"{line.rstrip()}\n" for line in drawn.get().splitlines()))


def show_facts(facts: Mapping[str, object]) -> None:
    width = max((len(name) for name in facts), default=0)
    for name, value in facts.items():
        say(f"{name.ljust(width)}  {_cell(value).plain}")


def show_one(facts: Mapping[str, object], as_json: bool) -> None:
    return show_json(facts) if as_json else show_facts(facts)


def show_rows(
    facts: Iterable[Mapping[str, object]],
    as_json: bool,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    empty: str = "Nothing found.",
) -> None:
    """All facts of each for programs, a row of each for people."""
    return show_json(list(facts)) if as_json else show_table(columns, rows, empty=empty)


def show_columns(
    facts: Sequence[Mapping[str, object]],
    as_json: bool,
    columns: Mapping[str, str],
    *,
    empty: str = "Nothing found.",
) -> None:
    """All facts of each for programs; for people those that the columns name, by title and name."""
    rows = ([one[name] for name in columns.values()] for one in facts)
    show_rows(facts, as_json, tuple(columns), rows, empty=empty)


def say(sentence: str) -> None:
    write(f"{_harmless(sentence)}\n")


def complain(sentence: str) -> None:
    # Where nobody listens, the exit code still tells.
    with suppress(OSError):
        if sys.stderr is not None:
            sys.stderr.write(f"armarium: {_harmless(sentence)}\n")


def _cell(value: object) -> "Text":
    """Plain text: nothing in a value is markup."""
    match value:
        case None:
            text = "–"
        case bool():
            text = "yes" if value else "no"
        case datetime():
            text = value.strftime("%Y-%m-%d %H:%M:%S")
        case frozenset() | set() | list() | tuple():
            text = ", ".join(sorted(str(item) for item in value)) or "–"
        case _:
            text = str(value)
    return Text(_harmless(text))


#: Printable for people, though Python does not call them so: breaks, and the spaces that do not break.
WANTED = "\n\t\u00a0\u202f"


def _harmless(text: str) -> str:
    """The text without characters that move the cursor: what a site or a visitor wrote may end up here."""
    return "".join(letter if letter.isprintable() or letter in WANTED else "�" for letter in text)


# --- What a command is given on standard input.


def standard_input() -> BinaryIO:
    given: TextIO | None = sys.stdin  # None where the shell closed it: `armarium warc ls - <&-`
    if given is None:
        raise Refused("There is no standard input to read from.")
    return given.buffer
