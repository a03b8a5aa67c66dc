"""The engine of replay: one request in, one reply out. The door of the content and the proxy both ask it."""

from datetime import timedelta

from armarium.access.door.site import Site
from armarium.access.replay import bodies
from armarium.access.replay.admission import admit
from armarium.access.replay.bodies import Body
from armarium.access.replay.capture import BODILESS, OK, Capture
from armarium.access.replay.counting import Counting
from armarium.access.replay.guarding import Guards
from armarium.access.replay.heading import Heading
from armarium.access.replay.model import Field, ReplayRequest, Reply
from armarium.access.replay.notices import Notices
from armarium.access.replay.ranges import NotSatisfiable, recorded_span
from armarium.access.replay.redirects import REDIRECTS
from armarium.access.replay.resolving import READ_METHODS, find
from armarium.access.replay.showing import Showing
from armarium.core.errors import ArmariumError

PARTIAL = 206


class Replay:
    def __init__(self, site: Site) -> None:
        self._site = site
        self._most_days = site.settings.most_spread_days
        self.guards = Guards(site.settings)
        self.notices = Notices(site, self.guards)
        self._showing = Showing(site)
        self._heading = Heading(site, self.guards)
        self._counting = Counting(site)

    def answer(self, request: ReplayRequest) -> Reply:
        """Called in a thread: index and storage block. It raises no error of the house: each has its page."""
        try:
            reply = self._shown(request)
        except ArmariumError as error:
            self._counting.refused(request, error)
            reply = self.notices.of(error, request)
        return Reply(reply.status, reply.headers, b"", reply.found) if request.method == "HEAD" else reply

    def _shown(self, request: ReplayRequest) -> Reply:
        capture = find(request, self._limit(request))
        admit(request, capture, self._site.locks)
        if self._is_elsewhere(request, capture):
            headers = [("Location", self._showing.exact(request, capture)), *self._heading.unkept]
            return Reply(302, headers)
        body = self._body(request, capture)
        self._counting.shown(request, capture, body)
        return self._in_range(request, capture, body)

    def _limit(self, request: ReplayRequest) -> timedelta | None:
        """How far a part may be from its page: what the house allows, or less, if the reader wants it so."""
        if request.is_page:
            return None
        wished = [days for days in (self._most_days, request.spread_days) if days > 0]
        return timedelta(days=min(wished)) if wished else None

    def _is_elsewhere(self, request: ReplayRequest, capture: Capture) -> bool:
        """A page is shown under its own moment, so that its parts are asked for at that moment too."""
        return (
            not request.proxied
            and request.mod in ("mp_", "bn_")
            and request.for_document
            and request.method in READ_METHODS
            and request.timestamp != capture.timestamp
            and len(capture.timestamp) == 14
        )

    def _body(self, request: ReplayRequest, capture: Capture) -> Body:
        if capture.status in BODILESS:
            return Body(b"", None)
        if request.is_raw or (request.proxied and not request.insert):
            return bodies.recorded(capture)
        if capture.status in REDIRECTS and not request.proxied:
            return Body(b"", 0, rewritten=True)  # nobody sees it, and its links would lead out
        links = self._showing.links(request, capture)
        return bodies.shown(request, capture, self._showing.rewriting(request, capture, links))

    def _in_range(self, request: ReplayRequest, capture: Capture, body: Body) -> Reply:
        """RFC 9110, 14: only an answer that would be 200 can be given in part."""
        asked = request.headers.get("range")
        try:
            if capture.status == PARTIAL:
                return self._of_part(request, capture, body, asked)
            if capture.status == OK and asked and request.method != "HEAD":
                part = bodies.in_part(body, asked)
                if part is not None:
                    return self._reply(request, capture, part[0], PARTIAL, part[1])
        except NotSatisfiable:
            said = [*self._heading.unkept, ("Content-Range", f"bytes */{_whole_length(capture, body)}")]
            return Reply(416, said)
        return self._reply(request, capture, body, capture.status)

    def _of_part(self, request: ReplayRequest, capture: Capture, body: Body, asked: str | None) -> Reply:
        part = bodies.of_recorded_part(body, asked, capture.field("content-range"))
        if part is None:
            return self._reply(request, capture, body, OK)
        piece, said = part
        whole = said.rpartition("/")[2]
        if not asked and piece.length is not None and str(piece.length) == whole:
            return self._reply(request, capture, piece, OK)  # a part that was all of it
        return self._reply(request, capture, piece, PARTIAL, said)

    def _reply(
        self, request: ReplayRequest, capture: Capture, body: Body, status: int, content_range: str = ""
    ) -> Reply:
        links = self._showing.links(request, capture)
        headers: list[Field] = self._heading.of(request, capture, body, links)
        if content_range:
            headers.append(("Content-Range", content_range))
        return Reply(status, headers, body.data)


def _whole_length(capture: Capture, body: Body) -> int | str:
    held = recorded_span(capture.field("content-range")) if capture.status == PARTIAL else None
    length = held[1] if held is not None else body.length
    return "*" if length is None else length
