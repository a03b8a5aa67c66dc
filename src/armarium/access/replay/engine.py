"""The engine of replay: one request in, one reply out. The door of the content and the proxy both ask it."""

from datetime import timedelta

from armarium.access.replay import bodies
from armarium.access.replay.bodies import Body, PageRewriting
from armarium.access.replay.capture import BODILESS, OK, REDIRECTS, Capture
from armarium.access.replay.headers import Guards, ReplyHeaders
from armarium.access.replay.model import PAGE_MODS, Field, ReplayRequest, Reply
from armarium.access.replay.notices import NoDownload, Notices, Occupied
from armarium.access.replay.ranges import NotSatisfiable, recorded_span
from armarium.access.replay.resolving import READ_METHODS, find, key_of
from armarium.access.requests.site import Locks, Site
from armarium.access.view import Restricted
from armarium.core.errors import ArmariumError, NotFound
from armarium.core.message import message
from armarium.formats.url import registered_domain

PARTIAL = 206


class Replay:
    def __init__(self, site: Site) -> None:
        self._site = site
        self._most_days = site.settings.most_spread_days
        self.guards = Guards(site.settings)
        self.notices = Notices(site, self.guards)
        self._showing = PageRewriting(site)
        self._heading = ReplyHeaders(site, self.guards)
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


# What is noted of an answer: figures of use, and for a viewing what was missing.


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


# What a rule asks of an answer that may be shown: one reader at a time, nothing to take along.


# What browsers show in a window or use in a page; everything else they save.
_SHOWN = ("text/", "image/", "audio/", "video/", "font/", "application/font", "application/vnd.ms-fontobject")
_SHOWN_TYPES = frozenset(
    {
        "",
        "application/dash+xml",
        "application/ecmascript",
        "application/javascript",
        "application/json",
        "application/ld+json",
        "application/manifest+json",
        "application/pdf",
        "application/vnd.apple.mpegurl",
        "application/wasm",
        "application/x-font-ttf",
        "application/x-font-woff",
        "application/x-javascript",
        "application/x-mpegurl",
        "application/xhtml+xml",
        "application/xml",
    }
)
# What pages are made of.
_OF_PAGES = ("image/", "audio/", "video/", "font/", "application/font", "application/x-font", "text/css")
_FOR_PROGRAMS = ("script", "json", "mpegurl", "dash+xml", "wasm", "fontobject")


def admit(request: ReplayRequest, capture: Capture, locks: Locks) -> None:
    """Raises `NoDownload` or `Occupied`."""
    decision = capture.seen.decision
    if decision.no_downloads and (request.is_raw or not is_shown(capture.field("content-type"))):
        told = message("You may read this here, but not save or copy it.")
        raise NoDownload(told)
    # Parts follow the page that uses them: whoever has it may have them.
    alone = decision.one_reader and _is_read(request, capture)
    if alone and not locks.take(capture.seen.line.key, request.view.reader):
        raise Occupied(message("Only one reader at a time may have this page. Try again later."))


def is_shown(content_type: str | None) -> bool:
    essence = (content_type or "").partition(";")[0].strip().lower()
    return essence in _SHOWN_TYPES or essence.startswith(_SHOWN) or essence.endswith(("+xml", "+json"))


def _is_read(request: ReplayRequest, capture: Capture) -> bool:
    """Whatever the address calls it: a page that is asked for as an image is still the page."""
    if request.mod in PAGE_MODS or request.for_document:
        return True
    essence = (capture.field("content-type") or "").partition(";")[0].strip().lower()
    if not essence.startswith(_OF_PAGES):
        return not essence.endswith(_FOR_PROGRAMS)
    # A picture may be a page that was scanned: only as a part of another one it follows that.
    return "sec-fetch-dest" not in request.headers and "referer" not in request.headers
