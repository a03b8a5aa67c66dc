"""What a reader asks for: an address or part of one, a time, and which of its captures."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from armarium.access.model import Seen
from armarium.access.rewrite import archival_addresses
from armarium.access.search import links
from armarium.access.view import Restricted, View
from armarium.core.errors import NotFound, Refused
from armarium.core.message import Message, message
from armarium.formats.cdx.query import Match, Query
from armarium.formats.cdx.timestamps import moment

LONGEST = 10_000  # characters of an address
PATTERNS = (Match.EXACT, Match.PREFIX, Match.HOST, Match.DOMAIN)
SORTS = ("", "count", "first", "last")
_DATE_MARKS = re.compile(r"[-:/.\sTtZz]")
# `http//example.org`, `https:example.org`, `http;//example.org`
_SLIP = re.compile(r"(https?)(?:[:;]?/{1,3}|[:;])(?=[^/:;]+\.)", re.IGNORECASE)
_WHOLE = frozenset({4, 6, 8, 10, 12, 14})


@dataclass(frozen=True)
class Question:
    url: str
    match: Match = Match.EXACT
    from_: str = ""
    to: str = ""
    date: str = ""  # which capture is nearest to it
    status: str = ""
    kind: str = ""
    changes: bool = False  # only captures that differ from the one before
    newest: bool = False
    words: str = ""  # in the addresses
    sort: str = ""
    resume: str = ""

    @classmethod
    def of(cls, typed: Mapping[str, str]) -> "Question":
        """From the fields of a form or the parameters of an address."""
        url, match = address_of(typed.get("url", ""), typed.get("match", ""))
        sort = typed.get("sort", "")
        return cls(
            url=url,
            match=match,
            from_=digits_of(typed.get("from", ""), "from"),
            to=digits_of(typed.get("to", ""), "to"),
            date=digits_of(typed.get("date", ""), "date"),
            status=typed.get("status", "")[:3],
            kind=typed.get("type", "")[:20],
            changes=bool(typed.get("changes")),
            newest=typed.get("order") == "newest",
            words=typed.get("words", "").strip()[:200],
            sort=sort if sort in SORTS else "",
            resume=typed.get("resume", "")[:LONGEST],
        )

    @property
    def narrowed(self) -> bool:
        """Whether only some captures are wanted, by more than their dates."""
        return bool(self.status or self.kind or self.changes)

    @property
    def period(self) -> str:
        """The year, month or day that was chosen; empty: none, or more than one."""
        return self.from_ if self.from_ == self.to else ""

    def query(self, **others: object) -> Query:
        asked = Query(self.url, match=self.match, from_=self.from_, to=self.to)
        return replace(asked, **others)  # type: ignore[arg-type]

    def with_(self, **others: object) -> "Question":
        return replace(self, **others)  # type: ignore[arg-type]

    @property
    def values(self) -> dict[str, str]:
        """By the names of the form, without those that say nothing."""
        given = {
            "url": self.url,
            "match": "" if self.match is Match.EXACT else self.match.value,
            "from": self.from_,
            "to": self.to,
            "date": dashed(self.date),
            "status": self.status,
            "type": self.kind,
            "changes": "yes" if self.changes else "",
            "order": "newest" if self.newest else "",
            "words": self.words,
            "sort": self.sort,
            "resume": self.resume,
        }
        return {name: value for name, value in given.items() if value}

    def href(self, collection: str) -> str:
        """The short address where one says it all."""
        plain = self.match is Match.EXACT and not (self.narrowed or self.newest or self.resume or self.date)
        if not plain:
            return links.search(collection, **self.values)
        return links.calendar(collection, self.url, self.from_, self.to)


def address_of(typed: str, match: str) -> tuple[str, Match]:
    """The address without the asterisks by which others say how much they want: `*.domain`, `prefix*`."""
    url = typed.strip().strip("“”\"'<>")
    if not url.strip("*. "):
        raise Refused(message("Type the address to search for."), field="url")
    if len(url) > LONGEST:
        raise Refused(message("The address is too long."), field="url")
    if re.search(r"\s", url):
        told = message(
            "“%(url)s” has spaces, so it is no address. Search by address, not by words.",
            url=links.readable(url[:100]),
        )
        raise Refused(told, field="url")
    if url.startswith("*."):
        return repaired(url[2:]), Match.DOMAIN
    if url.endswith("*"):
        return repaired(url[:-1]), Match.PREFIX
    return repaired(url), Match(match) if match in PATTERNS else Match.EXACT


def repaired(url: str) -> str:
    """With a scheme, and without the slips that are made when addresses are typed."""
    try:
        return archival_addresses.repaired(_SLIP.sub(r"\1://", url, count=1))
    except archival_addresses.NotArchival as nothing:
        raise Refused(message("Type the address to search for."), field="url") from nothing


def dashed(digits: str) -> str:
    """A date as people write it, to the second at most."""
    day, rest = "-".join(filter(None, (digits[:4], digits[4:6], digits[6:8]))), digits[8:]
    return f"{day} {':'.join(filter(None, (rest[:2], rest[2:4], rest[4:6])))}".rstrip()


def digits_of(typed: str, field: str) -> str:
    """A date as the index writes it: `2010-01-31 12:00` becomes `201001311200`."""
    digits = _DATE_MARKS.sub("", typed)
    if not digits:
        return ""
    if len(digits) not in _WHOLE or moment(digits) is None:
        told = message(
            "“%(date)s” is not a date. Write it as 2010, 2010-03 or 2010-03-31.",
            date=links.readable(typed[:40]),
        )
        raise Refused(told, field=field)
    return digits


# Which captures are wanted: by what the server said, by kind, by whether anything changed.
# It happens here and not in the index, because a capture that a reader may not see must not betray by
# passing a filter what is known of it.


STATUSES: dict[str, Message] = {
    "": message("Any response"),
    "2": message("Found (2xx)"),
    "3": message("Redirected (3xx)"),
    "4": message("Not found (4xx)"),
    "5": message("Failed (5xx)"),
}
KINDS: dict[str, Message] = {
    "": message("Any type"),
    "page": message("Pages"),
    "image": message("Pictures"),
    "document": message("Documents"),
    "media": message("Audio and video"),
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
