"""The body of an answer: as recorded, decoded, or rewritten; at once if it is short, else as it comes."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain

from armarium.access.replay.capture import Capture
from armarium.access.replay.model import ReplayRequest
from armarium.access.replay.ranges import NotSatisfiable, asked_span, cut, recorded_span
from armarium.access.requests.site import Site
from armarium.access.requests.threads import RequestWork, current_work
from armarium.access.rewrite.content_kinds import Kind, kind_of, rewriter_for
from armarium.access.rewrite.head_insert import PageInfo, head_insert
from armarium.access.rewrite.js import callback_in
from armarium.access.rewrite.links import LONGEST_BASE, Links
from armarium.access.rewrite.stream import Recoded, Rewriter
from armarium.access.settings import wombat_folder
from armarium.formats.http import decode_content
from armarium.formats.text import charset_of_content_type

SHORT = 1 << 20  # bytes of a record: up to here an answer is made at once
BEGINNING = 1024  # bytes by which a type is told
# Of these no body is ever rewritten, so none has to be looked at.
_BINARY = ("image/", "video/", "audio/", "font/", "application/pdf", "application/zip")
# But for these, which are text.
_TEXTUAL = ("image/svg", "audio/mpegurl", "audio/x-mpegurl")
# What a browser says of the element that asks for a file tells more than an address that a script made up.
_BY_DESTINATION = {"script": "js_", "style": "cs_", "worker": "wkr_", "sharedworker": "wkr_"}

#: Makes the rewriter of one body, of which it is given the beginning.
Rewriting = Callable[[Kind, bytes], Rewriter]


@dataclass
class Body:
    """What is sent, and what must be said of it."""

    data: bytes | Iterator[bytes]
    length: int | None  # None: not known before it has run out
    rewritten: bool = False  # other bytes than the recorded entity
    charset: str | None = None  # said instead of the recorded one
    kind: Kind = Kind.PLAIN
    pass_over: Callable[[int], int] | None = None  # leaves bytes behind without reading them, where it can

    @property
    def in_parts(self) -> bool:
        """Whether parts of it can be asked for: what is rewritten while it is sent cannot be counted."""
        return self.length is not None and not (self.rewritten and isinstance(self.data, Iterator))

    def part(self, skip: int, length: int) -> bytes | Iterator[bytes]:
        if isinstance(self.data, bytes):
            return self.data[skip : skip + length]
        passed = self.pass_over(skip) if self.pass_over is not None else 0
        return cut(self.data, skip - passed, length)


def recorded(capture: Capture) -> Body:
    """The entity as it stands in the record, content codings left in place."""
    if capture.record.body.remaining <= SHORT:
        data = capture.whole()
        return Body(data, len(data))
    return Body(capture.entity(), capture.length, pass_over=capture.pass_over)


def shown(request: ReplayRequest, capture: Capture, rewriting: Rewriting) -> Body:
    """The entity as the page needs it: decoded, and rewritten if it is of a kind that has addresses in it."""
    body = recorded(capture)
    content_type = capture.field("content-type")
    if capture.codings:
        body = _decoded(body, capture.codings)
    if _is_binary(content_type):
        return body
    beginning, body = _looked_at(body)
    kind = kind_of(content_type, _purpose(request), request.url, beginning)
    if kind is Kind.PLAIN:
        return body
    return _rewritten(body, kind, rewriting(kind, beginning))


def _purpose(request: ReplayRequest) -> str:
    if request.mod in ("mp_", "oe_"):
        return _BY_DESTINATION.get(request.headers.get("sec-fetch-dest", ""), request.mod)
    return request.mod


def in_part(body: Body, header: str | None) -> tuple[Body, str] | None:
    """The span that a range asks for, with its Content-Range; None where the whole is to be sent.

    Raises `NotSatisfiable`.
    """
    if header is None or body.length is None or not body.in_parts:
        return None
    span = asked_span(header, body.length)
    if span is None:
        return None
    data = body.part(span.first, span.length)
    return Body(data, span.length, body.rewritten), span.content_range(body.length)


def of_recorded_part(body: Body, header: str | None, content_range: str | None) -> tuple[Body, str] | None:
    """From a capture that is itself a part: what of the asked span is in it. None: there is no telling.

    Raises `NotSatisfiable`: another part passed off as the whole would be played as if it were.
    """
    held = recorded_span(content_range)
    if held is None or body.length is None or body.rewritten:
        return None
    span, whole = held
    asked = asked_span(header, whole if whole is not None else span.last + 1)
    first = span.first if asked is None else max(asked.first, span.first)
    last = span.last if asked is None else min(asked.last, span.last)
    last = min(last, span.first + body.length - 1)
    if first > last:
        raise NotSatisfiable
    part = type(span)(first, last)
    data = body.part(first - span.first, part.length)
    return Body(data, part.length), part.content_range(whole)


def _is_binary(content_type: str | None) -> bool:
    said = (content_type or "").lower().lstrip()
    return said.startswith(_BINARY) and not said.startswith(_TEXTUAL)


def _decoded(body: Body, codings: list[str]) -> Body:
    """What can be decoded: a damaged stream ends where it is damaged, and a false label is seen through."""
    pieces = iter([body.data]) if isinstance(body.data, bytes) else body.data
    decoded = iter(decode_content(codings, pieces))
    if not isinstance(body.data, bytes):
        return Body(decoded, None, rewritten=True)
    return _gathered(decoded)


def _gathered(pieces: Iterator[bytes]) -> Body:
    """At once, unless a few bytes turn out to be a flood."""
    held: list[bytes] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size > SHORT * 8:
            return Body(chain(held, pieces), None, rewritten=True)
    return Body(b"".join(held), size, rewritten=True)


def _looked_at(body: Body) -> tuple[bytes, Body]:
    if isinstance(body.data, bytes):
        return body.data[:BEGINNING], body
    held, size = [], 0
    for piece in body.data:
        held.append(piece)
        size += len(piece)
        if size >= BEGINNING:
            break
    body.data, body.pass_over = chain(held, body.data), None  # some of it has been read
    return b"".join(held)[:BEGINNING], body


def _rewritten(body: Body, kind: Kind, rewriter: Rewriter) -> Body:
    charset = "utf-8" if isinstance(rewriter, Recoded) else None
    if isinstance(body.data, bytes):
        data = rewriter.feed(body.data) + rewriter.close()
        return Body(data, len(data), True, charset, kind)
    return Body(_fed(body.data, rewriter, current_work()), None, True, charset, kind)


def _fed(pieces: Iterator[bytes], rewriter: Rewriter, work: RequestWork) -> Iterator[bytes]:
    for piece in pieces:
        work.go_on(long=False)
        if rewritten := rewriter.feed(piece):
            yield rewritten
    yield rewriter.close()


# How a page is shown under the addresses of the archive: its links, its insert, its rewriters.


WHOLE = 14  # digits of a timestamp
STATIC = "/-/static/"
# Only of these charsets must the beginning of a page be read closely before it is rewritten.
_ODD_CHARSET = re.compile(rb"\A(?:\xfe\xff|\xff\xfe)|iso-2022|utf-?16", re.IGNORECASE)


class PageRewriting:
    """`links` and `rewriting` of one site; it keeps nothing of a request."""

    def __init__(self, site: Site) -> None:
        self._content = site.settings.content
        self._reading = site.settings.reading
        self._static = self._content + STATIC  # whole: a worker made of a blob has no address to start from
        self._has_wombat = wombat_folder(site.settings) is not None

    def prefix(self, request: ReplayRequest) -> str:
        return f"{self._content}/{request.view.collection.name}/"

    def links(self, request: ReplayRequest, capture: Capture) -> Links:
        """Parts are asked for at the moment of the page, so that they come as near to it as they can."""
        moment = request.timestamp if len(request.timestamp) == WHOLE else capture.timestamp
        waited_for = partial(current_work().go_on, long=False)
        url = request.url
        if len(url) > LONGEST_BASE:  # with a user's name of any length it would still have the same key
            url = capture.seen.line.url or url
        return Links(self.prefix(request), moment, url, request.mod, go_on=waited_for)

    def rewriting(self, request: ReplayRequest, capture: Capture, links: Links) -> Rewriting:
        charset = charset_of_content_type(capture.field("content-type") or "")

        def make(kind: Kind, beginning: bytes) -> Rewriter:
            rewriting = not request.proxied and request.mod != "bn_"
            return rewriter_for(
                kind,
                links,
                charset=charset,
                insert=self._insert(kind, request, capture, links),
                callback=callback_in(request.url) if kind in (Kind.JS, Kind.JSON) else None,
                static=self._static,
                url_rewriting=rewriting,
                beginning=beginning if _ODD_CHARSET.search(beginning) else b"",
            )

        return make

    def exact(self, request: ReplayRequest, capture: Capture) -> str:
        """The address of the capture under its own moment."""
        return f"{self.prefix(request)}{capture.timestamp}{request.mod}/{request.url}"

    def _insert(self, kind: Kind, request: ReplayRequest, capture: Capture, links: Links) -> bytes:
        if request.proxied:
            return request.insert if kind is Kind.HTML else b""  # a banner is no XML
        if kind not in (Kind.HTML, Kind.XHTML):
            return b""
        collection = request.view.collection.name
        info = PageInfo(
            links,
            f"{self._reading}/{collection}/{capture.timestamp}/{request.url}",
            collection,
            static=self._static,
            timestamp=capture.timestamp,
            request_timestamp=request.timestamp,
            wombat=self._has_wombat,
            banner_only=request.mod == "bn_",
        )
        return head_insert(info, xml=kind is Kind.XHTML)
