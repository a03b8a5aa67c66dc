"""The columns of the list of records: which are seen, how one sorts by them, and what a spreadsheet gets."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from starlette.responses import Response

from armarium.core.message import Message, message
from armarium.languages.speech import say
from armarium.selection.model import BUDGETS, DEPTHS, FREQUENCIES, STATES
from armarium.selection.records.model import Record
from armarium.selection.search.model import Question
from armarium.web.lists import Column, Columns, csv_answer

RECORD = message("Record")
COLUMNS = Columns(
    "records",
    (
        Column("picture", message("Picture")),
        Column("collection", message("Collection")),
        Column("theme", message("Theme"), usual=False),
        Column("frequency", message("Frequency")),
        Column("budget", message("Budget"), usual=False),
        Column("depth", message("Depth"), usual=False),
        Column("state", message("State")),
        Column("responsible", message("Responsible")),
        Column("harvested", message("Last harvest")),
        Column("objects", message("Objects"), usual=False),
        Column("bytes", message("Bytes"), usual=False),
        Column("language", message("Language"), usual=False),
        Column("modified", message("Changed"), usual=False),
    ),
)
#: Columns of which the largest or latest is asked for first.
BACKWARDS = frozenset({"harvested", "objects", "bytes", "modified"})
UNSORTED = frozenset({"picture"})

VALUES: Mapping[str, Callable[[Record], Any]] = {
    "collection": lambda one: one.collection_name,
    "theme": lambda one: one.theme_name,
    "frequency": lambda one: FREQUENCIES[one.frequency],
    "budget": lambda one: BUDGETS[one.budget],
    "depth": lambda one: DEPTHS[one.depth],
    "state": lambda one: STATES[one.state],
    "responsible": lambda one: one.responsible_name,
    "harvested": lambda one: one.harvested_at,
    "objects": lambda one: one.harvested_objects,
    "bytes": lambda one: one.harvested_bytes,
    "language": lambda one: one.language,
    "modified": lambda one: one.modified_at,
}


def heads(question: Question, shown: Iterable[str], address: str) -> list[dict[str, Any]]:
    """The heads of the table, each a link that sorts by it, and the other way the second time."""
    seen = frozenset(shown)
    sortable = [one for one in COLUMNS.columns if one.name in seen and one.name not in UNSORTED]
    named = [("title", RECORD), *((one.name, one.title) for one in sortable)]
    return [_head(question, name, title, address) for name, title in named]


def _head(question: Question, name: str, title: Message, address: str) -> dict[str, Any]:
    current = question.order.removeprefix("-") == name
    backwards = question.order.startswith("-") if current else name not in BACKWARDS
    order = name if backwards else f"-{name}"
    sort = ("descending" if backwards else "ascending") if current else None
    href = f"{address}?{question.but(order=order).query()}"
    return {"name": name, "label": title, "href": href, "sort": sort}


def as_csv(records: Iterable[Record], shown: Iterable[str]) -> Response:
    """What the list shows, with numbers and addresses."""
    seen = frozenset(shown)
    names = [one for one in COLUMNS.columns if one.name in seen and one.name in VALUES]
    head: Sequence[Message] = (
        message("Number"),
        message("Title"),
        message("Address"),
        *(one.title for one in names),
    )
    rows = (
        (one.id, one.title, one.address, *(_told(VALUES[column.name](one)) for column in names))
        for one in records
    )
    return csv_answer("records", head, rows)


def _told(value: Any) -> object:
    return say(value) if isinstance(value, Message) else value
