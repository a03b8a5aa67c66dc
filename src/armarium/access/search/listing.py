"""The chronological list of the captures of one address."""

from collections.abc import Sequence
from dataclasses import dataclass

from armarium.access.model import Seen
from armarium.access.search import links
from armarium.access.search.narrowing import Capture, Narrowing, before, kind_of
from armarium.access.search.onward import Stretch
from armarium.access.search.question import Question
from armarium.access.view import Restricted, View
from armarium.core.message import Message

ROWS = 50  # at least so many on a page, if there are
MOST_PAGES = 50  # that are looked through for one of ours: a filter may let few through


@dataclass(frozen=True)
class Row:
    timestamp: str
    url: str
    href: str
    status: str
    mime: str
    kind: str
    size: int | None
    unchanged: bool
    restricted: Message | None  # why it may not be seen; None: it may
    one_reader: bool

    @property
    def tone(self) -> str:
        return {"2": "good", "3": "busy", "4": "warning", "5": "bad"}.get(self.status[:1], "neutral")


@dataclass(frozen=True)
class Listing:
    rows: Sequence[Row]
    resume: str | None  # there may be more


def captures(view: View, question: Question) -> Listing:
    """One page. With a filter it may be shorter or longer than others."""
    stretch, narrowing = Stretch(view, question, ROWS), Narrowing(view, question)
    rows: list[Row] = []
    for _ in range(MOST_PAGES):
        found = stretch.take(ROWS)
        rows += _rows(view, narrowing, found, newest=question.newest)
        if not found or len(rows) >= ROWS:
            break
    return Listing(rows, stretch.resume)


def _rows(view: View, narrowing: Narrowing, captures: list[Seen], *, newest: bool) -> list[Row]:
    """Whether a capture changed is known from the one before it in time, whichever way the list goes."""
    in_time = captures[::-1] if newest else captures
    if in_time:
        first = in_time[0].line
        narrowing.begin_behind(before(view, first.url or "", first.timestamp) if first.url else None)
    found = [row_of(view, capture) for seen in in_time if (capture := narrowing.look(seen)) is not None]
    return found[::-1] if newest else found


def row_of(view: View, capture: Capture) -> Row:
    line, decision = capture.seen.line, capture.seen.decision
    url = line.url or line.key
    return Row(
        timestamp=line.timestamp,
        url=links.readable(url),
        href=links.frame(view.collection.name, line.timestamp, url),
        status=line.text("status") or "",
        mime=links.readable(capture.mime),
        kind=kind_of(capture.mime),
        size=line.length,
        unchanged=capture.unchanged,
        restricted=None if capture.seen.allowed else Restricted(decision).message,
        one_reader=decision.one_reader,
    )
