"""The body of a recorded HTTP message against its head: length, chunks, coding, type."""

from collections.abc import Iterable, Iterator, Sequence

from armarium.formats.http import Dechunker, HttpHead, Response
from armarium.formats.http.engines import FORMATS
from armarium.formats.problem import Problem
from armarium.formats.validation.header import Finding
from armarium.formats.validation.values import essence

START = 64  # bytes of the entity that are kept to look at
BODILESS = frozenset({*range(100, 200), 204, 304})  # RFC 9112, 6.3: never a body, whatever the head says
NO_CODINGS: Sequence[str] = ()
GZIP_CODINGS = ("gzip", "x-gzip")
EXCUSED = ("http-chunk-truncated", "http-chunk-last-missing", "http-chunk-trailer-unterminated")

# First four bytes → what they stand for, and what a server may rightly call it.
SIGNATURES = {
    b"\x89PNG": ("image/png", ("image/png", "image/x-png", "image/apng", "image/vnd.mozilla.apng")),
    b"GIF8": ("image/gif", ("image/gif",)),
    b"%PDF": ("application/pdf", ("application/pdf", "application/x-pdf")),
    b"wOFF": ("font/woff", ("font/woff", "application/font-woff", "application/x-font-woff")),
    b"wOF2": ("font/woff2", ("font/woff2", "application/font-woff2", "application/x-font-woff2")),
    b"\xff\xd8\xff\xe0": ("image/jpeg", ("image/jpeg", "image/jpg", "image/pjpeg")),
    b"\xff\xd8\xff\xe1": ("image/jpeg", ("image/jpeg", "image/jpg", "image/pjpeg")),
    b"\xff\xd8\xff\xdb": ("image/jpeg", ("image/jpeg", "image/jpg", "image/pjpeg")),
}
HTML_STARTS = (b"<!do", b"<!DO", b"<htm", b"<HTM")
NOT_HTML = ("image/", "audio/", "video/", "font/", "application/pdf", "application/zip", "application/json")
UNDECIDED = ("", "application/octet-stream", "binary/octet-stream", "application/force-download")


class Body:
    """What was seen of the bytes behind a head."""

    __slots__ = ("compressions", "dechunker", "head", "length", "start")

    def __init__(self, head: HttpHead) -> None:
        self.head = head
        self.length = 0  # as recorded
        self.start = b""  # of the entity
        coded = head.fields.get_bytes("transfer-encoding") is not None
        self.dechunker = Dechunker() if coded and head.is_chunked else None
        # RFC 9112, 7.2: compression may be a transfer coding too, below chunked; `http.Entity` removes both.
        self.compressions = (
            [coding for coding in head.transfer_codings if coding in FORMATS] if coded else NO_CODINGS
        )

    def entity(self, data: bytes) -> bytes:
        """The whole body at once, without its chunks."""
        self.length = len(data)
        if self.dechunker is not None:
            data = self.dechunker.feed(data) + self.dechunker.finish()
        self.start = data[:START]
        return data

    def feed(self, data: bytes) -> bytes:
        """A piece of the body; returns what it adds to the entity."""
        self.length += len(data)
        if self.dechunker is not None:
            data = self.dechunker.feed(data)
        if len(self.start) < START:
            self.start += data[: START - len(self.start)]
        return data

    def pieces(self, recorded: Iterable[bytes]) -> Iterator[bytes]:
        """The body without its chunks, from its pieces as recorded."""
        for piece in recorded:
            if data := self.feed(piece):
                yield data
        if data := self.finish():
            yield data

    def finish(self) -> bytes:
        """The body is over; returns what the dechunker still held back."""
        return self.dechunker.finish() if self.dechunker is not None else b""


def chunk_problems(body: Body, truncated: str) -> list[Problem]:
    """What is wrong with the chunks; a capture that was cut, and says so, may end inside one."""
    problems = body.dechunker.problems if body.dechunker else []
    return [problem for problem in problems if not (truncated and problem.code in EXCUSED)]


def check_body(body: Body, truncated: str, findings: list[Finding]) -> None:
    """What is wrong with the body as a whole. `truncated` is the value of WARC-Truncated."""
    _check_length(body, truncated, findings)
    if not body.start:
        return
    coded = body.head.fields.get_bytes("content-encoding") is not None
    codings = body.head.content_codings if coded else ()
    if codings:
        # A gzip coding begins like a gzip file; a harvester that decoded it kept the wrong head.
        if codings[-1] in GZIP_CODINGS and body.start[:2] != b"\x1f\x8b":
            findings.append(("http-coding-mislabelled", {"coding": codings[-1], "actual": "not"}))
    else:
        _check_type(body, findings)


def _check_length(body: Body, truncated: str, findings: list[Finding]) -> None:
    """RFC 9112, 6.3: with a transfer coding, Content-Length does not count."""
    head = body.head
    status = head.status if isinstance(head, Response) else None
    if status in BODILESS:
        if body.length:
            findings.append(("http-body-unexpected", {"length": body.length}))
        return
    if (
        body.dechunker is not None
        or body.compressions
        or head.fields.get_bytes("content-length") == b"%d" % body.length
    ):
        return
    announced = head.content_length
    if announced is None or announced == body.length:
        return
    facts = {"length": body.length, "announced": announced}
    if body.length > announced:
        findings.append(("http-body-longer", facts))
    elif truncated:
        findings.append(("http-body-truncated", facts | {"reason": truncated}))
    else:
        findings.append(("http-body-shorter", facts))


def _check_type(body: Body, findings: list[Finding]) -> None:
    start = body.start[:4]
    found = SIGNATURES.get(start)
    if found is None and start not in HTML_STARTS:
        return
    declared = essence(body.head.content_type or "")
    if declared in UNDECIDED:
        return
    if found is None:
        differs, identified = declared.startswith(NOT_HTML), "text/html"
    else:
        differs, identified = declared not in found[1], found[0]
    if differs:
        findings.append(("http-type-differs", {"declared": declared, "identified": identified}))
