"""What a command shows: a table for people, JSON for programs."""

import json
import os
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO

import typer

from armarium.core.errors import Refused
from armarium.core.late import late
from armarium.terminal.tables import dated, fact, harmless, moment_in, plural, table, width
from armarium.terminal.tables import on_terminal as on_terminal

if TYPE_CHECKING:
    from armarium.languages.speech import byte_size
else:  # many commands tell no size
    byte_size = late("armarium.languages.speech:byte_size")


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
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    empty: str = "Nothing found.",
    noun: str = "",
    total: int | None = None,
) -> None:
    """A table as wide as the terminal, a line for each row; in a pipe nothing is cut.

    `noun` is what the rows are, one of them: the last line says how many, and of how many if there are more.
    """
    lines = list(rows)
    if not lines:
        return say(empty)
    head, *others = table(columns, lines, width())
    bold = on_terminal(sys.stdout) and "NO_COLOR" not in os.environ
    write("\n".join([f"\x1b[1m{head}\x1b[0m" if bold else head, *others]) + "\n")
    if not noun:
        return None
    if total is None or total <= len(lines):
        return say(f"{plural(len(lines), noun)}.")
    return say(f"{len(lines):,} of {plural(total, noun)}. --limit {total} shows all.")


def show_facts(facts: Mapping[str, object]) -> None:
    """Each value that there is beside its name; what is empty is not told."""
    told = {_titled(name): _valued(name, value) for name, value in facts.items() if value not in EMPTY}
    wide = max(map(len, told), default=0)
    room = max(width() - wide - 2, 20)
    for name, value in told.items():
        first, *others = [line for part in value.split("\n") for line in wrapped(part, room)]
        say(f"{name.ljust(wide)}  {first}".rstrip())
        for line in others:
            say(f"{'':{wide}}  {line}")


def show_summary(
    title: str, state: str, facts: Mapping[str, object], *, hints: Iterable[str] = (), below: str = ""
) -> None:
    """What it is and how it is; then the facts that there are; then the commands that could come next."""
    say(f"{title} · {state}" if state else title)
    if below:
        say(below)
    say("")
    show_facts(facts)
    for place, hint in enumerate(hints):
        say(f"{'' if place else chr(10)}→ {hint}")


EMPTY: tuple[object, ...] = (None, "", [], (), {}, frozenset())


def wrapped(text: str, room: int) -> list[str]:
    """Lines that fit; an address is never parted."""
    if len(text) <= room:
        return [text]
    return textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False) or [""]


def _titled(name: str) -> str:
    """`created_at` as a title: Created."""
    words = name.removesuffix("_at").replace("_", " ")
    return words[:1].upper() + words[1:] if name.islower() else name


def _valued(name: str, value: object) -> str:
    if (found := moment_in(value)) is not None:
        return dated(found)
    if "bytes" in name.split("_") and isinstance(value, int) and not isinstance(value, bool):
        return byte_size(value)
    return fact(value)


def show_one(facts: Mapping[str, object], as_json: bool) -> None:
    return show_json(facts) if as_json else show_facts(facts)


def show_rows(
    facts: Iterable[Mapping[str, object]],
    as_json: bool,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    empty: str = "Nothing found.",
    noun: str = "",
    total: int | None = None,
) -> None:
    """All facts of each for programs, a row of each for people."""
    if as_json:
        return show_json(list(facts))
    return show_table(columns, rows, empty=empty, noun=noun, total=total)


def show_columns(
    facts: Sequence[Mapping[str, object]],
    as_json: bool,
    columns: Mapping[str, str],
    *,
    empty: str = "Nothing found.",
    noun: str = "",
    total: int | None = None,
) -> None:
    """All facts of each for programs; for people those that the columns name, by title and name."""
    rows = ([one[name] for name in columns.values()] for one in facts)
    show_rows(facts, as_json, tuple(columns), rows, empty=empty, noun=noun, total=total)


def say(sentence: str) -> None:
    write(f"{harmless(sentence)}\n")


def complain(sentence: str) -> None:
    # Where nobody listens, the exit code still tells.
    with suppress(OSError):
        if sys.stderr is not None:
            sys.stderr.write(f"armarium: {harmless(sentence)}\n")


# --- What a command is given on standard input.


def standard_input() -> BinaryIO:
    given: TextIO | None = sys.stdin  # None where the shell closed it: `armarium warc ls - <&-`
    if given is None:
        raise Refused("There is no standard input to read from.")
    return given.buffer
