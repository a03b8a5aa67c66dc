"""The headers that keep an archived page in its place.

Whatever a page does, its requests may go to the origin of the content only, and its frame may not move the
window around it. Three walls stand behind each other: addresses are rewritten; the Content-Security-Policy
and the sandbox refuse what was not; and where the browser knows `Connection-Allowlist`, its network process
refuses even what no policy speaks of (WebRTC, warmed connections, names looked up).
"""

from armarium.access.replay.model import Field
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
