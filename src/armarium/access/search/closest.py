"""The capture that is nearest to a moment."""

from itertools import islice, takewhile

from armarium.access.model import Seen
from armarium.access.search.onward import Onward
from armarium.access.view import View
from armarium.formats.cdx.query import Query
from armarium.formats.cdx.timestamps import clipped

MOST_AT_ONCE = 50  # captures of one second that are compared
NOT_MODIFIED = 304


def closest(view: View, url: str, timestamp: str) -> Seen | None:
    """The capture at this moment or, failing that, the nearest; of several at once the one that is shown."""
    found = iter(Onward(view, Query(url, closest=clipped(timestamp), limit=5)))
    first = next(found, None)
    if first is None:
        return None
    same = takewhile(lambda seen: seen.line.timestamp == first.line.timestamp, found)
    return min([first, *islice(same, MOST_AT_ONCE)], key=_rank)


def _rank(seen: Seen) -> tuple[bool, bool, bool]:
    """As replay chooses: a redirect in the second of a page under the same key nearly always leads to that
    page, from `http` to `https` or to `www`, and is passed by."""
    line = seen.line
    empty = not line.is_revisit and line.status in (None, NOT_MODIFIED)
    return not seen.allowed, empty, line.status is not None and 300 <= line.status < 400
