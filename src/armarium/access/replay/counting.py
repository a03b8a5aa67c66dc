"""What is noted of an answer: figures of use, and for a viewing what was missing."""

from armarium.access.door.site import Site
from armarium.access.replay.bodies import Body
from armarium.access.replay.capture import Capture
from armarium.access.replay.model import ReplayRequest
from armarium.access.replay.resolving import key_of
from armarium.access.view import Restricted
from armarium.core.errors import ArmariumError, NotFound
from armarium.formats.url import registered_domain


class Counting:
    def __init__(self, site: Site) -> None:
        self._uses = site.uses
        self._viewings = site.viewings

    def shown(self, request: ReplayRequest, capture: Capture, body: Body) -> None:
        self._note(request, "shown", body.length or capture.record.body.length)

    def refused(self, request: ReplayRequest, error: ArmariumError) -> None:
        if isinstance(error, Restricted):
            self._note(request, "restricted")
        elif isinstance(error, NotFound):
            self._note(request, "missing")
            number = request.view.collection.viewing
            if number is not None and self._viewings is not None:
                referrer = request.headers.get("referer", "")
                self._viewings.note_missing(number, request.url, key_of(request), referrer)

    def _note(self, request: ReplayRequest, outcome: str, size: int = 0) -> None:
        is_page = request.is_page
        # Whose site it is, matters for pages; to find it out for every picture would cost more than it tells.
        domain = (registered_domain(request.url) or "") if is_page else ""
        self._uses.note(
            "page" if is_page else "part",
            outcome,
            collection=request.view.collection.name,
            reader=request.view.reader,
            size=size,
            domain=domain,
        )
