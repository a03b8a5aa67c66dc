"""Which captures of an address are wanted: by what the server said, by kind, by whether anything changed.

It happens here and not in the index, because a capture that a reader may not see must not betray by passing a
filter what is known of it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from armarium.access.model import Seen
from armarium.access.search.question import Question
from armarium.access.view import Restricted, View
from armarium.core.errors import NotFound
from armarium.core.message import Message, message
from armarium.formats.cdx.query import Query

STATUSES: dict[str, Message] = {
    "": message("Any answer"),
    "2": message("Found (2xx)"),
    "3": message("Led elsewhere (3xx)"),
    "4": message("Not there (4xx)"),
    "5": message("Failed (5xx)"),
}
KINDS: dict[str, Message] = {
    "": message("Any type"),
    "page": message("Pages"),
    "image": message("Pictures"),
    "document": message("Documents"),
    "media": message("Sound and film"),
    "code": message("Styles and scripts"),
    "other": message("Other"),
}
_BEGINNINGS = (
    ("page", ("text/html", "application/xhtml", "text/plain")),
    ("image", ("image/",)),
    ("media", ("audio/", "video/", "application/ogg", "application/vnd.apple.mpegurl", "application/dash")),
    (
        "document",
        (
            "application/pdf",
            "application/postscript",
            "application/msword",
            "application/rtf",
            "application/epub",
            "application/vnd.",
        ),
    ),
    ("code", ("text/css", "text/javascript", "application/javascript", "application/x-javascript")),
    ("code", ("application/json", "application/ecmascript", "text/ecmascript")),
)


def kind_of(mime: str | None) -> str:
    """A type as readers tell them apart; empty where it is not known."""
    if not mime:
        return ""
    mime = mime.lower()
    return next((kind for kind, beginnings in _BEGINNINGS if mime.startswith(beginnings)), "other")


@dataclass(frozen=True)
class Capture:
    """A capture beside the one before it."""

    seen: Seen
    mime: str  # of a revisit: that of what it refers to
    unchanged: bool


class Narrowing:
    """Looks at captures of one address, one after the other, and says which are wanted."""

    def __init__(self, view: View, question: Question) -> None:
        self._view = view
        self._question = question
        self._types: dict[str, str] = {}
        self._last: str | None = None

    def begin_behind(self, seen: Seen | None) -> None:
        """The capture before the first one that will be looked at."""
        self._last = _content(seen) if seen is not None else None

    def look(self, seen: Seen) -> Capture | None:
        """None if it is not wanted."""
        if not seen.allowed:
            return None if self._question.narrowed else Capture(seen, "", unchanged=False)
        content = _content(seen)
        unchanged = seen.line.is_revisit or (content is not None and content == self._last)
        self._last = content
        capture = Capture(seen, self._type(seen, content), unchanged)
        return capture if self._wants(capture) else None

    def _wants(self, capture: Capture) -> bool:
        question = self._question
        if question.changes and capture.unchanged:
            return False
        if question.status and not (capture.seen.line.text("status") or "").startswith(question.status):
            return False
        return not question.kind or kind_of(capture.mime) == question.kind

    def _type(self, seen: Seen, content: str | None) -> str:
        if not seen.line.is_revisit:
            mime = seen.line.mime or ""
            if content is not None:
                self._types[content] = mime
            return mime
        if content is None:
            return ""
        if content not in self._types:
            self._types[content] = self._original_type(seen)
        return self._types[content]

    def _original_type(self, seen: Seen) -> str:
        try:
            original = self._view.original(seen)
        except (Restricted, NotFound):
            return ""
        return (original.line.mime or "") if original is not None else ""


def _content(seen: Seen) -> str | None:
    digest = seen.line.text("digest")
    return digest.rpartition(":")[2] if digest and seen.allowed else None


def before(view: View, url: str, timestamp: str) -> Seen | None:
    """The last capture before a moment that the reader may see."""
    if not timestamp.isdecimal():
        return None
    query = Query(url, to=earlier(timestamp), reverse=True, limit=20)
    return next((seen for seen in view.all(query) if seen.allowed), None)


def earlier(timestamp: str) -> str:
    """A bound that leaves out this moment and all after it."""
    return f"{int(timestamp) - 1:0{len(timestamp)}}"


def wanted(view: View, question: Question, captures: Iterable[Seen]) -> Iterator[Seen]:
    """Those of them that are wanted, oldest first."""
    narrowing = Narrowing(view, question)
    for seen in captures:
        if narrowing.look(seen) is not None:
            yield seen
