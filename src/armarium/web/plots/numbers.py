"""The numbers behind a picture: as a table for people, and as CSV for their spreadsheets."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from starlette.responses import Response

from armarium.core.message import message
from armarium.languages.speech import say
from armarium.web.lists import csv_answer
from armarium.web.plots.model import Drawable, HeatMap, Label, Plot, Unit, Value
from armarium.web.plots.words import amount, told

WHOLE = message("Value")


@dataclass(frozen=True)
class Table:
    head: tuple[Label, ...]  # of the columns behind the first
    rows: tuple[tuple[Label, tuple[Value, ...]], ...]
    unit: Unit


def table(drawable: Drawable) -> Table:
    match drawable:
        case Plot(labels=labels, series=series):
            values = zip(*(one.values for one in series), strict=True)
            rows = tuple(zip(labels, values, strict=True))
            return Table(tuple(one.label for one in series), rows, drawable.unit)
        case HeatMap(rows=names, columns=columns, values=values):
            of_rows = tuple((name, tuple(row)) for name, row in zip(names, values, strict=True))
            return Table(tuple(columns), of_rows, drawable.unit)
        case _:
            parts = tuple((part.label, (part.value,)) for part in drawable.parts)
            return Table((WHOLE,), parts, drawable.unit)


def shown(drawable: Drawable) -> tuple[list[str], list[tuple[str, list[str]]]]:
    """The table as it is read: what its columns are called, and its rows."""
    found = table(drawable)
    rows = [(told(label), [amount(one, found.unit) for one in of]) for label, of in found.rows]
    return [told(label) for label in found.head], rows


def as_csv(drawable: Drawable) -> Response:
    found = table(drawable)
    head = ["", *(told(label) for label in found.head)]
    return csv_answer(drawable.id, head, (_row(label, values) for label, values in found.rows))


def _row(label: Label, values: Iterable[Value]) -> list[object]:
    return [label.isoformat() if isinstance(label, date) else told(label), *values]


def wanted(context: Any, name: str) -> Drawable | None:
    """The picture of this name among all that a page is made of."""
    if isinstance(context, Drawable):
        return context if context.id == name else None
    if isinstance(context, Mapping):
        context = context.values()
    elif not isinstance(context, (list, tuple)):
        return None
    return _first(context, name)


def _first(several: Iterable[Any], name: str) -> Drawable | None:
    return next((found for one in several if (found := wanted(one, name)) is not None), None)


def heading(drawable: Drawable) -> tuple[str, str]:
    """The figure beside the title, and what it is of: the last value, or the sum."""
    if not isinstance(drawable, Plot) or not drawable.series:
        return "", ""
    first = [value for value in drawable.series[0].values if value is not None]
    if not first:
        return "", ""
    if drawable.summed:
        stacked = [one for one in drawable.series if not one.line]
        whole = sum(value or 0 for one in stacked for value in one.values)
        return amount(whole, drawable.unit), say(message("in all"))
    last = max(at for at, value in enumerate(drawable.series[0].values) if value is not None)
    return amount(drawable.series[0].values[last], drawable.unit), told(drawable.labels[last])
