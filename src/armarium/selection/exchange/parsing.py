"""What the cells of one line say. Pure: nothing is looked up."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.languages.catalogues import languages
from armarium.languages.speech import translate
from armarium.selection.exchange.columns import folded
from armarium.selection.exchange.model import Fault, Line
from armarium.selection.model import BUDGETS, DEPTHS, FREQUENCIES, STATES
from armarium.selection.records.model import Further

YES, NO = message("yes"), message("no")
SHOWN = 200  # characters of a cell that the report repeats
LARGEST_NUMBER = 2**63 - 1
#: Columns whose empty cell says nothing; that of another makes the field empty.
SILENT = frozenset(
    {"number", "collection", "address", "theme", "budget", "frequency", "depth", "active", "state"}
)


@dataclass
class ParsedLine:
    """A line as it was understood: values by column, those that are missing or say nothing left out."""

    line: int
    values: dict[str, Any] = field(default_factory=dict)
    given: dict[str, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def fault(self, column: str, text: Message) -> None:
        self.faults.append(Fault(self.line, column, self.given.get(column, "")[:SHOWN], text))


def parse_line(line: Line, keys: Sequence[str | None], unread: frozenset[str]) -> ParsedLine:
    found = ParsedLine(line.number)
    for key, cell in zip(keys, line.cells, strict=False):
        if key is None or key not in READERS or key in unread or (key in SILENT and not cell.strip()):
            continue
        found.given[key] = cell
        try:
            found.values[key] = READERS[key](_storable(cell))
        except Refused as refusal:
            found.fault(key, refusal.message)
    if any(cell.strip() for cell in line.cells[len(keys) :]):
        found.fault(
            "",
            message(
                "The line has more cells than the header: is a separator in a text without quotation marks?"
            ),
        )
    return found


def _storable(cell: str) -> str:
    if "\0" in cell:
        raise Refused(message("The cell contains a NUL character. Type it anew."))
    return cell


def _text(cell: str) -> str:
    return cell


def _number(cell: str) -> int:
    text = cell.strip()
    if not (text.isdecimal() and text.isascii()) or not 0 < int(text[:20]) <= LARGEST_NUMBER:
        raise Refused(
            message(
                "This is no number of a record. Take it from an export, or leave the cell empty for a "
                "new record."
            )
        )
    return int(text)


def _active(cell: str) -> bool:
    answer = _answers().get(folded(cell))
    if answer is None:
        raise Refused(message("Write yes or no."))
    return answer


@cache
def _answers() -> Mapping[str, bool]:
    found = {"true": True, "1": True, "x": True, "false": False, "0": False}
    for code in languages():
        found |= {folded(translate(YES, code)): True, folded(translate(NO, code)): False}
    return found | {"yes": True, "no": False}


def _keywords(cell: str) -> tuple[str, ...]:
    parts = cell.splitlines() if "\n" in cell or "\r" in cell else cell.split(";")
    return tuple(part.strip() for part in parts if part.strip())


def _further(cell: str) -> tuple[Further, ...]:
    found = []
    for line in cell.splitlines():
        address, _, note = line.strip().partition(" ")
        if address:
            found.append(Further(address, note.strip()))
    return tuple(found)


def _choice(words: Mapping[Any, Message]) -> Callable[[str], Any]:
    """By the name that programs use, or by the words of any of our languages."""

    @cache
    def names() -> Mapping[str, Any]:
        said = {
            " ".join(translate(text, code).casefold().split()): value
            for code in languages()
            for value, text in words.items()
        }
        return said | {value.value: value for value in words}

    def read(cell: str) -> Any:
        found = names().get(" ".join(cell.casefold().split()))
        if found is None:
            raise Refused(
                message("Write one of these: %(all)s.", all=", ".join(value.value for value in words))
            )
        return found

    return read


READERS: Mapping[str, Callable[[str], Any]] = {
    "number": _number,
    "collection": lambda cell: " ".join(cell.split()),
    "address": str.strip,
    "title": _text,
    "theme": lambda cell: " ".join(cell.split()),
    "budget": _choice(BUDGETS),
    "frequency": _choice(FREQUENCIES),
    "depth": _choice(DEPTHS),
    "language": _text,
    "keywords": _keywords,
    "content_notes": _text,
    "technical_notes": _text,
    "responsible": str.strip,
    "active": _active,
    "further_addresses": _further,
    "state": _choice(STATES),
    "reason": str.strip,
}
