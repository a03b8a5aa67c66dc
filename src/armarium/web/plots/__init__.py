"""Plots: figures as pictures that everybody can read, drawn on the server.

Comes in: a `Plot`, `Shares`, `HeatMap` or `Treemap`, made by a page from the numbers of its room.
Goes out: geometry for the macros of `plots.html`, which write SVG without a script or a style in it; the same
numbers as a table behind one click, and as CSV at the page's own address (`?csv=ID`).
It must never ask for a number, and never draw one that its table does not show.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from armarium.web.plots.drawing import drawn, enough, line
from armarium.web.plots.maps import boxes, cells, stretches
from armarium.web.plots.model import Value
from armarium.web.plots.numbers import heading, shown
from armarium.web.plots.words import amount, told

__all__ = ["FILTERS", "enough"]


def small_line(values: Sequence[Value], width: float, height: float) -> str:
    """A line without a scale, with room for its own thickness."""
    highest = max((value or 0 for value in values), default=0) or 1
    return line(values, highest * (1 + 4 / height), width, height - 2)


#: What `plots.html` asks of a picture.
FILTERS: Mapping[str, Callable[..., Any]] = {
    "plot_label": told,
    "plot_amount": amount,
    "plot_numbers": shown,
    "plot_heading": heading,
    "plot_drawing": drawn,
    "plot_stretches": stretches,
    "plot_boxes": boxes,
    "plot_cells": cells,
    "plot_line": small_line,
}
