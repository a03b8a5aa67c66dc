"""What a rule asks of an answer that may be shown: one reader at a time, nothing to take along."""

from armarium.access.door.site import Locks
from armarium.access.replay.capture import Capture
from armarium.access.replay.model import PAGE_MODS, ReplayRequest
from armarium.access.replay.notices import NoDownload, Occupied
from armarium.core.message import message

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
        told = message("This may be read here, and not be saved or copied.")
        raise NoDownload(told)
    # Parts follow the page that uses them: whoever has it may have them.
    alone = decision.one_reader and _is_read(request, capture)
    if alone and not locks.take(capture.seen.line.key, request.view.reader):
        raise Occupied(message("Only one reader at a time may have this page. Please try again later."))


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
