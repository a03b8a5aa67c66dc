"""One class per record type, with typed accessors that read the header when they are asked.

A value that is absent or malformed is None; its text stays in `fields`.
"""

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from armarium.formats.gzip.member import Member
from armarium.formats.gzip.members import Stroke
from armarium.formats.http import MAX_HEAD, HttpHead, parse_request, parse_response
from armarium.formats.problem import Problem
from armarium.formats.warc.block import Block
from armarium.formats.warc.digest import Digest
from armarium.formats.warc.fields import Fields, parse_date

if TYPE_CHECKING:
    from armarium.formats.warc.cursor import Segment

USUAL_HEAD = 4096  # most HTTP heads are shorter


class Record:
    """A record as it stands in the file.

    `offset` is where its first byte stands in the file: with gzip and zstd, where its member or frame begins.
    `inner_offset` is not 0 where something stands before it in that member: its position in the
    decoded bytes.
    """

    # Values that most records keep are set here once: a file has millions of records.
    inner_offset = 0
    number = 0  # in the file, from 0
    shares = False  # whether a record before it begins in the same compressed member
    complete = True  # False once the block turned out shorter than the header says
    unusual_head = 0  # bytes of the header, where its version line or its line ends are not the usual ones
    _length = 0
    _member: "Segment | None" = None
    stroke: Stroke | None = None  # the member, where the record came at a stroke
    _settle: "Callable[[Record], None] | None" = None  # the reader's, until the record is done with
    _http: HttpHead | None = None

    def __init__(
        self, version: str, fields: Fields, block: Block, offset: int, member: "Segment | None" = None
    ) -> None:
        self.version = version
        self.fields = fields
        self.block = block
        self.offset = offset
        if member is not None:
            self._member = member
        self.problems: list[Problem] = []

    @property
    def member(self) -> "Segment | None":
        """The gzip member, zstd frame or plain file in which it begins."""
        if self._member is None and self.stroke is not None:
            self._member = Member.finished(*self.stroke)
        return self._member

    @member.setter
    def member(self, member: "Segment | None") -> None:
        self._member = member

    def finish(self) -> None:
        """Pass over what is left of the block. Length and problems are settled then, and the block is
        gone.
        """
        settle, self._settle = self._settle, None
        if settle is not None:
            settle(self)

    @property
    def length(self) -> int:
        """Bytes in the file, the line ends behind the block included; asking finishes the record.

        0 where the record shares a compressed member with others and cannot be cut out.
        """
        self.finish()
        return self._length

    @property
    def http(self) -> HttpHead | None:
        """The head of the HTTP message in the block; nothing of the block is used up by asking."""
        if self._http is None and self.is_http:
            parse = parse_request if self.is_request else parse_response
            count = USUAL_HEAD
            head: HttpHead = parse(self.block.peek(count))
            while not head.complete and count < MAX_HEAD and count < self.block.length:
                count *= 16
                head = parse(self.block.peek(count))
            self._http = head
        return self._http

    @property
    def body(self) -> Block:
        """The block behind its HTTP head, or the whole block where there is none. Ask before reading."""
        head = self.http
        if head is not None and self.block.position < head.length:
            self.block.read(head.length - self.block.position)
        return self.block

    @property
    def is_request(self) -> bool:
        """Whether the HTTP message in the block was sent by the client."""
        return "msgtype=request" in (self.content_type or "").lower().replace(" ", "")

    @property
    def record_type(self) -> str:
        return (self.fields.get("WARC-Type") or "").lower()

    @property
    def record_id(self) -> str | None:
        return self.fields.get("WARC-Record-ID")

    @property
    def date(self) -> datetime | None:
        return parse_date(self.fields.get("WARC-Date") or "")

    @property
    def target_uri(self) -> str | None:
        """The address, without the angle brackets that wget puts around it."""
        return bare_uri(self.fields.get("WARC-Target-URI"))

    @property
    def content_length(self) -> int | None:
        return number(self.fields.get("Content-Length"))

    @property
    def content_type(self) -> str | None:
        return self.fields.get("Content-Type")

    @property
    def block_digest(self) -> Digest | None:
        return Digest.parse(self.fields.get("WARC-Block-Digest") or "")

    @property
    def payload_digest(self) -> Digest | None:
        return Digest.parse(self.fields.get("WARC-Payload-Digest") or "")

    @property
    def concurrent_to(self) -> list[str]:
        return self.fields.get_all("WARC-Concurrent-To")

    @property
    def ip_address(self) -> str | None:
        return self.fields.get("WARC-IP-Address")

    @property
    def warcinfo_id(self) -> str | None:
        return self.fields.get("WARC-Warcinfo-ID")

    @property
    def truncated(self) -> str | None:
        """The reason why the capture was cut, by the one who wrote it."""
        return self.fields.get("WARC-Truncated")

    @property
    def identified_payload_type(self) -> str | None:
        return self.fields.get("WARC-Identified-Payload-Type")

    @property
    def segment_number(self) -> int | None:
        return number(self.fields.get("WARC-Segment-Number"))

    @property
    def is_http(self) -> bool:
        """Whether the block is an HTTP message as recorded."""
        # As usually written, it is told without reading all fields.
        if b"\nContent-Type: application/http;" in self.fields.raw:
            return True
        return (self.content_type or "").lower().startswith("application/http")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.target_uri or self.record_id or ''} at byte {self.offset}>"


class Warcinfo(Record):
    """Describes the records that follow."""

    @property
    def filename(self) -> str | None:
        return self.fields.get("WARC-Filename")


class Response(Record):
    """A server's answer, whole."""

    @property
    def is_request(self) -> bool:
        return False


class Resource(Record):
    """A resource without the protocol it came by."""


class Request(Record):
    """What was asked of the server."""

    @property
    def is_request(self) -> bool:
        return True


class _Referring(Record):
    @property
    def refers_to(self) -> str | None:
        return self.fields.get("WARC-Refers-To")


class Metadata(_Referring):
    """Says something about another record, or about a resource."""


class Revisit(_Referring):
    """The content was captured before."""

    @property
    def profile(self) -> str | None:
        return bare_uri(self.fields.get("WARC-Profile"))

    @property
    def refers_to_target_uri(self) -> str | None:
        return bare_uri(self.fields.get("WARC-Refers-To-Target-URI"))

    @property
    def refers_to_date(self) -> datetime | None:
        return parse_date(self.fields.get("WARC-Refers-To-Date") or "")


class Conversion(_Referring):
    """Another record's content in another format."""


class Continuation(Record):
    """A further segment of a record begun elsewhere."""

    @property
    def segment_origin_id(self) -> str | None:
        return self.fields.get("WARC-Segment-Origin-ID")

    @property
    def segment_total_length(self) -> int | None:
        return number(self.fields.get("WARC-Segment-Total-Length"))


class Unknown(Record):
    """A type that the standard does not know: readers skip it."""


RECORD_TYPES: dict[str, type[Record]] = {
    "warcinfo": Warcinfo,
    "response": Response,
    "resource": Resource,
    "request": Request,
    "metadata": Metadata,
    "revisit": Revisit,
    "conversion": Conversion,
    "continuation": Continuation,
}


def number(text: str | None) -> int | None:
    """A field's number; None unless it is nothing but ASCII digits of a sane count."""
    if text and len(text) <= 18 and text.isascii() and text.isdigit():
        return int(text)
    return None


def bare_uri(uri: str | None) -> str | None:
    """A URI without angle brackets: WARC 1.0 had them in its grammar but not in its examples."""
    return uri[1:-1] if uri and uri[0] == "<" and uri[-1] == ">" else uri
