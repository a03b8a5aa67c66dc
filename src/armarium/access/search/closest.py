"""The capture that is nearest to a moment."""

from armarium.access.model import Seen
from armarium.access.view import View
from armarium.formats.cdx.query import Query


def closest(view: View, url: str, timestamp: str) -> Seen | None:
    """The capture at this moment or, failing that, the nearest; of several at once one that may be seen."""
    found = view.search(Query(url, closest=timestamp, limit=5)).captures
    if not found:
        return None
    same = [seen for seen in found if seen.line.timestamp == found[0].line.timestamp]
    return next((seen for seen in same if seen.allowed), same[0])
