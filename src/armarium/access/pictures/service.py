"""Who wants which pictures, and who may see them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from armarium.access.model import WHOLE, Archive, Decision, Policy, Reader, Seen
from armarium.access.pictures import queries
from armarium.access.pictures.model import Place, State, Taken, Thumbnail, Wanted
from armarium.access.settings import AccessSettings
from armarium.access.view import View
from armarium.core import clock
from armarium.core.errors import NotFound
from armarium.core.message import message
from armarium.db.database import Database
from armarium.formats.cdx import CdxLine
from armarium.formats.cdx.query import Collapse, Filter, Operator, Query

MOST_WAITING = 1000
AT_ONCE = 20  # pictures that one task takes
AGAIN = timedelta(days=30)  # until a page that could not be shown is tried again
LONGEST_URL = 2000
IN_A_STRIP = 12
MONTHS = 240  # of which a strip is chosen
#: Pages that were answered, one of each month.
PAGES = (Filter("status", "200"), Filter("mime", r"text/html|application/xhtml\+xml", Operator.REGEX))
BY_MONTH = (Collapse("timestamp", 6),)


@dataclass(frozen=True)
class Pictures:
    database: Database
    settings: AccessSettings
    archive: Archive
    policy: Policy

    def view(self, reader: Reader) -> View:
        """The whole archive as somebody may see it."""
        return View(self.archive, self.policy, reader, WHOLE)

    def strip(self, view: View, url: str, most: int = IN_A_STRIP) -> list[Thumbnail]:
        """Captures of a page over its time, oldest first. Of those without a picture one is asked for."""
        if not self.settings.pictures or len(url) > LONGEST_URL:
            return []
        found = view.search(Query(url=url, filters=PAGES, collapse=BY_MONTH, limit=MONTHS)).captures
        return self._known(view, spread([seen for seen in found if is_open(seen.decision)], most))

    def newest(self, view: View, pages: Iterable[CdxLine]) -> dict[str, str]:
        """For lists: of each key, the timestamp of its newest picture among these captures that this reader
        may see. None is asked for: a list may be of any pages."""
        lines = {Place(line.key, line.timestamp): line for line in pages}
        if not self.settings.pictures or not lines:
            return {}
        with self.database.transaction() as connection:
            taken = queries.of_pages(connection, {place.key for place in lines})
        whole = view.whole  # as a picture itself is asked for
        return {
            place.key: place.timestamp
            for place, parts in taken
            if place in lines and is_open(whole.decide(lines[place])) and may_see(whole, parts)
        }

    def image(self, view: View, place: Place) -> bytes:
        """The picture of a capture that this reader may see now, whatever they might when it was taken."""
        query = Query(key=place.key, from_=place.timestamp, to=place.timestamp)
        if any(is_open(seen.decision) for seen in view.search(query).captures):
            with self.database.transaction() as connection:
                taken = queries.taken(connection, place)
            if taken and may_see(view, taken.parts):
                return taken.data
        raise NotFound(message("There is no picture of this capture."))

    def _known(self, view: View, captures: Sequence[Seen]) -> list[Thumbnail]:
        wanted = [Wanted(Place(seen.line.key, seen.line.timestamp), seen.line.url or "") for seen in captures]
        with self.database.transaction() as connection:
            states = queries.states(connection, [one.place for one in wanted])
            new = [one for one in wanted if one.place not in states and is_of_the_web(one.url)]
            queries.ask(connection, new, clock.now(), MOST_WAITING)
        return [
            Thumbnail(one.place, one.url, state)
            for one in wanted
            for state, parts in [states.get(one.place, (State.ASKED, None))]
            if state is not State.TAKEN or may_see(view, parts)
        ]

    # In the background --------------------------------------------------------------------------------

    def waiting(self) -> list[Wanted]:
        with self.database.transaction() as connection:
            return queries.waiting(connection, AT_ONCE) if self.settings.pictures else []

    def put(self, place: Place, taken: Taken | None) -> None:
        with self.database.transaction() as connection:
            queries.put(connection, place, taken, clock.now())

    def tidy(self) -> int:
        with self.database.transaction() as connection:
            return queries.tidy(connection, self.settings.most_pictures, clock.now() - AGAIN)


def is_open(decision: Decision) -> bool:
    """Whether it is shown to all of its readers at a time: who has the only seat may be somebody else."""
    return decision.allowed and not decision.one_reader


def may_see(view: View, parts: Sequence[CdxLine] | None) -> bool:
    """Whether everything in a picture is open: what a page embeds may have been withdrawn since."""
    return parts is not None and all(is_open(view.decide(part)) for part in parts)


def is_of_the_web(url: str) -> bool:
    """Others lead a browser into this machine, not into the archive; or stand in no database."""
    return url.lower().startswith(("http://", "https://")) and len(url) <= LONGEST_URL and url.isprintable()


def spread(captures: Sequence[Seen], most: int) -> list[Seen]:
    """The first, the last, and others at even distances between them."""
    if len(captures) <= most:
        return list(captures)
    step = (len(captures) - 1) / (most - 1)
    return [captures[round(at * step)] for at in range(most)]
