"""The head of a reply: what the archived answer said, what it must not say, and what the archive says."""

from collections.abc import Collection, Iterable

from armarium.access.door.site import Site
from armarium.access.memento.headers import memento_headers
from armarium.access.model import Decision, Reader
from armarium.access.replay.bodies import Body
from armarium.access.replay.capture import Capture
from armarium.access.replay.guarding import Guards, keeping
from armarium.access.replay.model import Field, ReplayRequest
from armarium.access.rewrite.headers import replayed_headers
from armarium.access.rewrite.links import Links

# What we say ourselves of every body.
_OURS = frozenset({"content-length", "content-range", "accept-ranges"})
_OUR_COOKIES = ("armarium", "__host-armarium", "__secure-armarium")
# A browser that goes to the raw bytes of these would run them, or follow their links to the live web.
_RUNNING = ("text/html", "application/xhtml", "text/xml", "application/xml", "image/svg")
# Where the raw answer of a redirect leads, is the live web.
_LEADING_OUT = frozenset({"location", "refresh", "content-location"})


class Heading:
    def __init__(self, site: Site, guards: Guards) -> None:
        self._guards = guards
        self._settings = site.settings
        self.unkept: list[Field] = [*guards.of_raw, ("Cache-Control", "no-store")]

    def of(self, request: ReplayRequest, capture: Capture, body: Body, links: Links) -> list[Field]:
        if request.proxied:
            # The proxy takes out of them what must not stay in a browser.
            return [*_recorded(capture.fields, body), *self._of_archive(request, capture, body)]
        raw, decision = request.is_raw, capture.seen.decision
        headers = [
            field
            for field in _without(self._replayed(request, capture, body, links), _OURS)
            if not _is_ours(field)
        ]
        if decision.no_downloads:
            headers = _without(headers, {"content-disposition"})
        if raw and _navigated(request):
            headers = [_as_text(field) for field in headers if field[0].lower() not in _LEADING_OUT]
        headers += self._of_archive(request, capture, body)
        kind = capture.field("content-type")
        headers += (
            self._guards.of_raw
            if raw
            else self._guards.of_archived(kind, downloads=not decision.no_downloads)
        )
        # What was nearest to another moment may be another capture tomorrow, or none under another limit.
        exact = request.timestamp == capture.timestamp
        kept = exact and _is_open(request.view.reader, decision)
        return [*headers, ("Vary", "Prefer"), keeping(open_to_all=kept)]

    def _replayed(
        self, request: ReplayRequest, capture: Capture, body: Body, links: Links
    ) -> Iterable[Field]:
        identity = request.mod in ("id_", "dl_")
        return replayed_headers(
            capture.fields,
            links,
            rewritten=body.rewritten,
            redirects=not identity,
            identity=identity,
            charset=body.charset,
        )

    def _of_archive(self, request: ReplayRequest, capture: Capture, body: Body) -> list[Field]:
        headers: list[Field] = [("Server-Timing", f'capture;desc="{capture.timestamp}"')]
        if body.length is not None:
            headers.append(("Content-Length", str(body.length)))
            if body.in_parts:
                headers.append(("Accept-Ranges", "bytes"))
        return headers + memento_headers(
            request.view,
            capture.seen,
            self._settings,
            url=request.url,
            mod=request.mod,
            with_neighbours=request.is_page and not request.is_raw,
        )


def _without(headers: Iterable[Field], names: Collection[str]) -> list[Field]:
    return [field for field in headers if field[0].lower() not in names]


def _is_ours(field: Field) -> bool:
    """An archived server must not choose who reads, nor speak for the archive."""
    name, value = field[0].lower(), field[1].lstrip().lower()
    return name.startswith("x-armarium-") or (name == "set-cookie" and value.startswith(_OUR_COOKIES))


def _recorded(fields: Iterable[Field], body: Body) -> list[Field]:
    names = _OURS | {"transfer-encoding"} | ({"content-encoding"} if body.rewritten else set())
    kept = _without(fields, names)
    if body.charset is None:
        return kept
    charset = f"; charset={body.charset}"
    return [(n, v.partition(";")[0] + charset if n.lower() == "content-type" else v) for n, v in kept]


def _is_open(reader: Reader, decision: Decision) -> bool:
    """Whether what is shown would be shown to anybody, so that a browser may keep it for a while."""
    nobody = reader.account is None and not (reader.networks or reader.accredited)
    return nobody and not (decision.one_reader or decision.no_downloads)


def _navigated(request: ReplayRequest) -> bool:
    """Whether a browser goes there, rather than a program or a script ask for it."""
    mode = request.headers.get("sec-fetch-mode")
    return mode == "navigate" or (mode is None and "upgrade-insecure-requests" in request.headers)


def _as_text(field: Field) -> Field:
    name, value = field
    if name.lower() == "content-type" and value.lower().lstrip().startswith(_RUNNING):
        charset = value.partition(";")[2]
        return name, f"text/plain;{charset}" if charset.strip() else "text/plain"
    return field
