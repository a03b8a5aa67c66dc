"""What is drawn: values with their labels, and in which unit and shape."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from armarium.core.message import Message


class Month(date):
    """A label for a whole month, made of its first day."""


Label = Message | str | int | date | datetime
Value = float | int | None  # None: nobody knows, which is not 0


class Shape(StrEnum):
    BARS = "bars"  # upon each other: amounts of days, runs, months
    AREAS = "areas"  # upon each other: what grows
    LINES = "lines"  # beside each other: speeds, and what is compared


class Unit(StrEnum):
    COUNT = "count"
    BYTES = "bytes"
    PERCENT = "percent"
    SECONDS = "seconds"
    RATE = "rate"  # things a second
    BYTE_RATE = "byte_rate"  # bytes a second


@dataclass(frozen=True)
class Series:
    """Values of one kind, one for each label of the plot."""

    label: Label
    values: Sequence[Value]
    tone: str = "first"  # first, second, third, good, warning, bad, soft: plots.css
    line: bool = False  # a line over bars: what was expected


@dataclass(frozen=True)
class Plot:
    """Values along an axis: days, runs, months, …"""

    id: str  # a word for the page's address
    title: Message  # what it says: “Objects per run”
    labels: Sequence[Label]
    series: Sequence[Series]
    shape: Shape = Shape.BARS
    unit: Unit = Unit.COUNT
    href: str = ""  # where the title leads
    hrefs: Sequence[str] = ()  # where each point leads
    note: Message | None = None
    summed: bool = False  # the sum stands beside the title, not the last value


@dataclass(frozen=True)
class Part:
    """A part of a whole."""

    label: Label
    value: float
    href: str = ""
    tone: str = ""  # without: by its place


@dataclass(frozen=True)
class Shares:
    """Parts of a whole as one bar: status codes, types."""

    id: str
    title: Message
    parts: Sequence[Part]
    unit: Unit = Unit.COUNT
    href: str = ""
    note: Message | None = None


@dataclass(frozen=True)
class Treemap:
    """Parts of a whole as areas: what takes the room."""

    id: str
    title: Message
    parts: Sequence[Part]
    unit: Unit = Unit.BYTES
    href: str = ""
    note: Message | None = None


@dataclass(frozen=True)
class HeatMap:
    """Values of rows and columns as shades: hours of weekdays, days of months."""

    id: str
    title: Message
    columns: Sequence[Label]
    rows: Sequence[Label]
    values: Sequence[Sequence[Value]]  # of each row
    unit: Unit = Unit.COUNT
    href: str = ""
    note: Message | None = None


Drawable = Plot | Shares | Treemap | HeatMap
