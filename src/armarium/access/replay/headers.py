"""The headers of a reply: what the archived answer said, what we say, and what keeps a page in its place.

Whatever a page does, its requests may go to the origin of the content only, and its frame may not move the
window around it. Three walls stand behind each other: addresses are rewritten; the Content-Security-Policy
and the sandbox refuse what was not; and where the browser knows `Connection-Allowlist`, its network process
refuses even what no policy speaks of (WebRTC, warmed connections, names looked up).
"""

from collections.abc import Collection, Iterable

from armarium.access.memento.links import memento_headers
from armarium.access.model import Decision, Reader
from armarium.access.replay.bodies import Body
from armarium.access.replay.capture import Capture
from armarium.access.replay.model import Field, ReplayRequest
from armarium.access.requests.site import Site
from armarium.access.rewrite.headers import replayed_headers
from armarium.access.rewrite.links import Links
from armarium.access.settings import AccessSettings

#: What a page of the web may ask a browser for, and an archived page has no business with.
_POWERS = (
    "accelerometer",
    "browsing-topics",
    "camera",
    "clipboard-read",
    "compute-pressure",
    "display-capture",
    "geolocation",
    "gyroscope",
    "hid",
    "identity-credentials-get",
    "idle-detection",
    "local-fonts",
    "magnetometer",
    "microphone",
    "midi",
    "otp-credentials",
    "payment",
    "publickey-credentials-create",
    "publickey-credentials-get",
    "screen-wake-lock",
    "serial",
    "storage-access",
    "usb",
    "window-management",
    "xr-spatial-tracking",
)
_PERMISSIONS = ", ".join(f"{power}=()" for power in _POWERS)
# No top navigation, and no windows: both would leave the frame. content.js asks the frame to open links.
_SANDBOX = (
    "allow-scripts allow-same-origin allow-forms allow-modals allow-pointer-lock allow-orientation-lock"
)
_OWN_PAGE = "allow-same-origin allow-scripts allow-top-navigation-by-user-activation"
#: For so many seconds a browser may show again what anybody may see. A take-down waits no longer than this.
KEPT_SECONDS = 600
_NO_SNIFFING: Field = ("X-Content-Type-Options", "nosniff")

# Types that run nothing by themselves. They have the policy all the same: a page that puts one into a frame
# may use the window of that frame, which would have none.
_INERT = ("image/", "audio/", "video/", "font/", "application/font", "application/x-font")
# Documents that a browser reads as XML. They need no scripts, and none of ours could be the first in them.
_SVG = "image/svg"
_PLAIN_XML = frozenset({"text/xml", "application/xml", "text/xsl"})
_XHTML = frozenset({"application/xhtml+xml", "application/vnd.wap.xhtml+xml"})


class Guards:
    def __init__(self, settings: AccessSettings) -> None:
        ancestors = f"frame-ancestors 'self' {settings.reading}"
        sources = "'self' 'unsafe-inline' 'unsafe-eval' data: blob:"
        policy = (
            f"default-src {sources}; frame-src 'self' blob:; worker-src 'self' data: blob:; "
            f"form-action 'self'; base-uri 'self'; {ancestors}"
        )
        shut: list[Field] = [
            ("Cross-Origin-Resource-Policy", "same-origin"),
            # A page can frame no answer that lacks this, such as an error of a server in front of us.
            ("Cross-Origin-Embedder-Policy", "require-corp"),
            ("Referrer-Policy", "same-origin"),
        ]
        kept: list[Field] = [
            *shut,
            ("Permissions-Policy", _PERMISSIONS),
            ("X-DNS-Prefetch-Control", "off"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Origin-Agent-Cluster", "?1"),
        ]
        # Archived redirects lead to where we wrote them, inside the origin.
        network: Field = ("Connection-Allowlist", "(response-origin); redirects=allow; webrtc=block")
        scriptless = f"{policy}; script-src 'none'"
        self._archived = _both([*kept, network], policy)
        # What a picture in a frame may ask a browser for, the page around it says.
        self._inert = _both([*shut, network, _NO_SNIFFING], policy)
        self._xml = _both([*kept, network], scriptless)
        # Chromium shows no PDF inside a sandbox; and no script of a PDF reaches its surroundings.
        self._viewer = [*kept, network, _policy(scriptless)]
        self._raw = [*shut, _policy(f"default-src 'none'; {ancestors}; sandbox"), _NO_SNIFFING]
        own = (
            f"default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; base-uri 'none'; {ancestors}"
        )
        own_policy = _policy(f"{own}; form-action 'none'; sandbox {_OWN_PAGE}")
        # Its links lead to the readers' pages.
        beyond: Field = (
            "Connection-Allowlist",
            f'(response-origin "{settings.reading}/*"); redirects=allow; webrtc=block',
        )
        self._own = [*kept, beyond, own_policy, _NO_SNIFFING, keeping(open_to_all=False)]

    def of_archived(self, content_type: str | None, *, downloads: bool) -> list[Field]:
        """`content_type` as it is sent: the one that the browser will believe."""
        essence = (content_type or "").partition(";")[0].strip().lower()
        if _is_xml(essence):
            return self._xml[downloads]
        if essence.startswith(_INERT):
            return self._inert[downloads]
        if essence == "application/pdf":
            return self._viewer
        return self._archived[downloads]

    @property
    def of_raw(self) -> list[Field]:
        """Bytes as they were recorded: nothing in them may run, nor be taken for something that does."""
        return self._raw

    @property
    def of_own_page(self) -> list[Field]:
        return self._own


def _is_xml(essence: str) -> bool:
    if essence in _XHTML:
        return False
    return essence in _PLAIN_XML or essence.startswith(_SVG) or essence.endswith("+xml")


def _both(fields: list[Field], policy: str) -> tuple[list[Field], list[Field]]:
    """Where nothing may be saved, and where it may."""
    closed = f"{policy}; sandbox {_SANDBOX}"
    return [*fields, _policy(closed)], [*fields, _policy(f"{closed} allow-downloads")]


def _policy(text: str) -> Field:
    return "Content-Security-Policy", text


def keeping(*, open_to_all: bool) -> Field:
    return ("Cache-Control", f"private, max-age={KEPT_SECONDS}" if open_to_all else "no-store")


# What we say ourselves of every body.
_OURS = frozenset({"content-length", "content-range", "accept-ranges"})
_OUR_COOKIES = ("armarium", "__host-armarium", "__secure-armarium")
# A browser that goes to the raw bytes of these would run them, or follow their links to the live web.
_RUNNING = ("text/html", "application/xhtml", "text/xml", "application/xml", "image/svg")
# Where the raw answer of a redirect leads, is the live web.
_LEADING_OUT = frozenset({"location", "refresh", "content-location"})


class ReplyHeaders:
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
