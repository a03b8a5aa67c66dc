"""A capture that has been opened: its head, its type, where it redirects, and its body as a stream."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from armarium.access.model import Decision, Seen
from armarium.access.replay.model import Field
from armarium.access.view import Hidden, View
from armarium.core.errors import NotFound
from armarium.core.message import message
from armarium.formats.http import Entity, HttpHead, Response
from armarium.formats.url import InvalidUrl, resolve, surt
from armarium.formats.warc.records import Record, Revisit

OK = 200
NOT_MODIFIED = 304
WHOLE = 14  # digits of a timestamp
BODILESS = frozenset({204, 205, NOT_MODIFIED})
# Of a revisit's own head these speak of a body that is not there; the original's are true.
_OF_THE_BODY = frozenset(
    {"content-length", "content-encoding", "transfer-encoding", "content-range", "content-type"}
)
_NO_HEAD = Response(b"", "HTTP/0.9", 0, None, complete=True)


@dataclass
class Capture:
    """The chosen one. `record` holds the body: for a revisit, it is that of the original."""

    seen: Seen
    status: int
    fields: list[Field]
    record: Record
    head: HttpHead
    rule: str = ""  # the fuzzy rule by which it was found

    @property
    def timestamp(self) -> str:
        """As an address has it: indexes of others go to the millisecond."""
        return self.seen.line.timestamp[:WHOLE]

    @property
    def location(self) -> str | None:
        return self.field("location")

    def field(self, name: str) -> str | None:
        return next((value for known, value in self.fields if known.lower() == name), None)

    @property
    def codings(self) -> list[str]:
        return list(self.head.content_codings)

    @property
    def length(self) -> int | None:
        """Bytes of the entity, where that is known without reading it."""
        if self.head.transfer_codings:
            return None
        body = self.record.body
        return body.remaining

    def pass_over(self, count: int) -> int:
        """Leave bytes of the entity behind, if that is possible without reading them; how many were left."""
        member = self.record.member
        if self.head.transfer_codings or member is None or not member.plain:
            return 0
        return self.record.body.pass_over(count)

    def whole(self) -> bytes:
        """The entity at once, for those that are short."""
        body = self.record.body
        if not self.head.transfer_codings:
            return body.read()
        return b"".join(Entity(self.head, iter([body.read()])))

    def entity(self) -> Iterator[bytes]:
        """The body without its transfer coding, in pieces, once."""
        body = self.record.body
        return iter(body) if not self.head.transfer_codings else iter(Entity(self.head, body))


def open_capture(view: View, seen: Seen) -> Capture:
    """Read the record, and for a revisit that of its original.

    Raises `NotFound`, `Unavailable`, `Restricted`.
    """
    record = view.record(seen)
    if record.record_type != "revisit":
        return _captured(seen, record)
    head = record.http
    try:
        original, decision = _original(view, seen, record)
    except Hidden:
        raise
    except NotFound:
        if not isinstance(head, Response) or not _tells_all(record, head):
            raise
        kind = [pair for pair in head.fields.items() if pair[0].lower() == NAME.lower()]
        fields = with_one_type([*_without_body(head), *kind])
        return Capture(seen, _sound(head.status), fields, record, _NO_HEAD)
    captured = _captured(Seen(seen.line, seen.decision.joined(decision)), original)
    if not isinstance(head, Response) or head.status in (None, NOT_MODIFIED):
        return captured
    # The headers are those of that day; what they say of the body, only the original's know.
    own = _without_body(head)
    of_body = [pair for pair in captured.fields if pair[0].lower() in _OF_THE_BODY]
    captured.status = _sound(head.status)
    captured.fields = own + of_body
    return captured


def _tells_all(record: Record, head: Response) -> bool:
    """Whether nobody misses the body: a redirect is in its head, and an empty body has nothing to add."""
    if head.status in (None, NOT_MODIFIED):
        return False
    if (head.status in REDIRECTS and head.location) or head.status in BODILESS:
        return True
    digest = record.payload_digest
    if digest is not None and digest.value is not None and digest.algorithm in hashlib.algorithms_available:
        return digest.value == hashlib.new(digest.algorithm, usedforsecurity=False).digest()
    # Nothing but the head tells of the body then; of a chunked one it tells nothing.
    return (head.fields.get("Content-Length") or "").strip() == "0" and not head.transfer_codings


def _without_body(head: Response) -> list[Field]:
    return [pair for pair in head.fields.items() if pair[0].lower() not in _OF_THE_BODY]


def _original(view: View, seen: Seen, record: Record) -> tuple[Record, Decision]:
    """With what is asked of those who read it there."""
    url, date = "", ""
    if isinstance(record, Revisit):
        url = record.refers_to_target_uri or ""
        moment = record.refers_to_date
        date = f"{moment.year:04}{moment:%m%d%H%M%S}" if moment else ""
    original = view.original(seen, url=url, date=date)
    if original is None or original.line == seen.line:
        raise NotFound(message("The capture that this one refers to is not in the archive."))
    found = view.whole.record(original)
    if found.record_type == "revisit":
        raise NotFound(message("The capture that this one refers to is not in the archive."))
    # A line may name an original that is another address's.
    decision = view.whole.check(found, original.line.filename or "")
    return found, original.decision.joined(decision)


def _captured(seen: Seen, record: Record) -> Capture:
    head = record.http
    if isinstance(head, Response) and head.length:
        return Capture(seen, _sound(head.status), with_one_type(head.fields.items()), record, head)
    # A `resource` or `conversion` has no HTTP; neither has an answer in HTTP/0.9.
    kind = (record.content_type or "") if not record.is_http else (seen.line.mime or "")
    believed = believed_type([kind]) if not kind.startswith("warc/") else ""
    fields = [(NAME, believed)] if believed else []
    return Capture(seen, OK, fields, record, _NO_HEAD)


def _sound(status: int | None) -> int:
    """A status that can be sent as a final one. Crawlers have recorded 0 and 999."""
    return status if status is not None and 200 <= status <= 599 else OK


# Redirects that lead back to themselves.
# An index knows a page under one key, whether it was `http` or `https`, with `www` or without, with a
# slash at the end or without. A server that sends from one of these to another is recorded as a redirect
# and a page under the same key: to follow the redirect inside the archive would find the redirect again,
# for ever.


REDIRECTS = frozenset({301, 302, 303, 307, 308})


def leads_to_itself(key: str, url: str, status: int, location: str | None) -> bool:
    if status not in REDIRECTS or not location:
        return False
    try:
        target = resolve(url, location.strip())
    except InvalidUrl:
        return False
    return surt(target) == key


# What kind of content an answer said it was: one kind, and the one that a browser would believe.
# A server may have sent several types, in several fields or in one. Browsers take the last that can be read
# (Fetch, "extract a MIME type"). If we looked at another one than they do, a page could pass for a picture.


_PART = re.compile(r'(?:[^",]|"(?:[^"\\]|\\.)*+"?)+')
_ESSENCE = re.compile(r"\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+/[!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*(?:;|$)")
_CHARSET = re.compile(r""";\s*charset\s*=\s*"?([^\s;",]+)""", re.IGNORECASE)
NAME = "Content-Type"


def with_one_type(fields: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The fields with one type at most, where the first one stood."""
    kept: list[tuple[str, str]] = []
    said: list[str] = []
    place = 0
    for name, value in fields:
        if name.lower() != "content-type":
            kept.append((name, value))
        else:
            place = place if said else len(kept)
            said.append(value)
    believed = believed_type(said)
    if believed:
        kept.insert(place, (NAME, believed))
    return kept


def believed_type(values: Iterable[str]) -> str:
    """The type that a browser believes of these fields; empty where it believes none and looks for itself."""
    essence, charset = "", ""
    for part in _PART.findall(",".join(values)):
        found = _ESSENCE.match(part)
        if found is None or found[1] == "*/*":
            continue
        other = found[1].lower()
        told = _CHARSET.search(part)
        # The charset of the type before holds on, if this is the same type without one.
        charset = told[1] if told else (charset if other == essence else "")
        essence = other
    return f"{essence}; charset={charset}" if essence and charset else essence
