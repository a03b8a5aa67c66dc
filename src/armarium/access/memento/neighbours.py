"""The captures of an address around one of them."""

from collections.abc import Iterator
from dataclasses import dataclass

from armarium.access.cdxserver.lines import Patience, Span, Told, TooMuch, captures
from armarium.access.memento.mementos import mementos
from armarium.access.view import View
from armarium.formats.cdx import CdxLine

MOST_EXAMINED = 2000  # lines to find one: a page is not kept waiting for its links


@dataclass(frozen=True)
class Neighbours:
    """None where there is none, or it would take too long to find."""

    first: CdxLine | None
    previous: CdxLine | None
    next: CdxLine | None
    last: CdxLine | None


def neighbours(view: View, line: CdxLine) -> Neighbours:
    """Only captures that the reader may see: a link that leads nowhere helps nobody."""
    whole = Span.of_key(line.key)
    here = f"{line.key} {line.timestamp}"
    earlier = Span(whole.start, here)
    later = Span(f"{here}!", whole.end)  # "!" comes behind the space that ends the timestamp
    previous = _first(view, earlier, reverse=True)
    following = _first(view, later)
    return Neighbours(
        first=_first(view, earlier) if previous is not None else None,
        previous=previous,
        next=following,
        last=_first(view, later, reverse=True) if following is not None else None,
    )


def _first(view: View, span: Span, *, reverse: bool = False) -> CdxLine | None:
    try:
        found = next(shown(captures(view, span, Patience(MOST_EXAMINED), reverse=reverse)), None)
    except TooMuch:
        return None
    return found.line if found is not None else None


def shown(found: Iterator[Told]) -> Iterator[Told]:
    """Those that may be seen, and have a date that is one."""
    return (told for told in mementos(found) if not told.restricted and told.line.date is not None)
