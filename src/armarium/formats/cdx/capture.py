"""What an index tells of one record: from its header and the head of its HTTP message, the body skipped.

Values are those of cdxj-indexer 1.5 (`Dialect.CDXJ`), or of the Wayback indexers for CDX in columns:

    |                                        | CDXJ     | WAYBACK                    |
    |----------------------------------------|----------|----------------------------|
    | type of a response that is not HTTP    | left out | the record's: `text/dns`   |
    | type of a response that declares none  | left out | `unk`                      |
    | the same, in an ARC file               | that of the record's line, if it has one |
    | target of a redirect                   | left out | as an absolute address     |
"""

import hashlib
import re
from base64 import b32encode
from enum import Enum, auto

from armarium.formats.arc import ArcRecord, ArcVersionBlock
from armarium.formats.cdx.requests import RequestBody, entity, read_request_body
from armarium.formats.http import MAX_HEAD, HttpHead, parse_request, parse_response
from armarium.formats.http import Request as HttpRequest
from armarium.formats.http import Response as HttpResponse
from armarium.formats.http.fields import text
from armarium.formats.url import InvalidUrl, resolve, surt
from armarium.formats.warc.records import Metadata, Record, Request, Resource, Response, Revisit, Warcinfo

# --- Short ways through headers that are written as nearly all are: half the time of an index is spent here.
#
# Each gives what the full parsers give, or gives up, so that the caller asks them. (Of a field that stands in
# a
# header twice, in two spellings, they may find the second: no such header is known.)


_MARKS = {name: f"\n{name}:".encode() for name in ("WARC-Target-URI", "WARC-Date", "WARC-Payload-Digest")}
# A status line, lines that are neither empty nor the type's, and the type's if it is not folded. Possessive
# throughout: what does not fit is given up at once.
_ANSWER = re.compile(
    rb"HTTP/1\.[01] ([1-5][0-9]{2}) [^\r\n\0]*+\r\n"
    rb"(?:(?!\r*+\n|(?i:content-type))[^\n]*+\n)*+"
    rb"(?i:content-type):[ \t]*+([^\r\n\0]*+)\r\n(?=[^ \t])"
)


def field_of(record: Record, name: str) -> str | None:
    """A field of a WARC record's header, found without taking the header apart."""
    raw = record.fields.raw
    mark = _MARKS[name]
    begin = raw.find(mark) + len(mark)
    end = raw.find(b"\n", begin)
    # Not there as usual, not ended, or folded into the next line.
    if begin < len(mark) or end < 0 or raw[end + 1 : end + 2] in (b" ", b"\t"):
        return record.fields.get(name)
    return text(raw[begin:end].strip())


def usual_answer(data: bytes) -> tuple[str, str] | None:
    """Status and Content-Type of the HTTP answer that begins here; None where a closer look is needed."""
    found = _ANSWER.match(data)
    return (found[1].decode("ascii"), text(found[2].strip())) if found else None


# --- What an index tells of one record: from its header and the head of its HTTP message, the body skipped.


_HTTP_RECORDS = (Response, Request, Revisit, ArcRecord)
_WITHOUT_PAYLOAD = (Revisit, Warcinfo, ArcVersionBlock)
HTTP_SCHEMES = ("http:", "https:")
FIRST_LOOK = 4096  # bytes; most heads are shorter
_END_OF_TYPE = re.compile(r"[;\s]")
# A date as nearly all are, and one that there is: no 20201345999999. What does not fit is looked at closer.
_ISO = re.compile(
    r"(?!0000)[0-9]{4}-"
    r"(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)"
    r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?Z\Z"
)


class Dialect(Enum):
    CDXJ = auto()
    WAYBACK = auto()


def is_indexed(record: Record) -> bool:
    """Whether the record is a capture. Metadata in `application/warc-fields` describe one, and are none."""
    # By class, not by field: the header of a record that is passed over need not be read.
    if isinstance(record, Response | Revisit):
        return True
    if isinstance(record, ArcRecord):
        return not isinstance(record, ArcVersionBlock)
    return isinstance(record, Resource | Metadata) and record.content_type != "application/warc-fields"


class Capture:
    """A record, with what must be taken from its block before the reader goes on."""

    url: str | None
    timestamp: str | None
    digest: str | None

    __slots__ = ("_key", "body", "digest", "mime", "record", "redirect", "status", "timestamp", "url")

    def __init__(
        self, record: Record, dialect: Dialect = Dialect.CDXJ, *, requests: bool = False, digests: bool = True
    ) -> None:
        """Look at a record whose block has not been touched.

        `requests`: read the bodies of requests; `digests`: compute the digest where the record has none.
        """
        self.record = record
        self.status: str | None = None
        self.redirect: str | None = None
        self.body: RequestBody | None = None  # of a request, or of the request that this answers
        self._key: str | None = None
        self._read_header()
        if self._read_usual_answer(dialect):
            return
        head = self._read_head()
        self.mime = self._media_type(head)
        if isinstance(head, HttpResponse) and head.status is not None:
            self.status = str(head.status)
        if dialect is Dialect.WAYBACK:
            self._complete_for_wayback(head)
        if requests and isinstance(head, HttpRequest):
            self.body = read_request_body(head, record.block)
        if digests and self.digest is None and not isinstance(record, _WITHOUT_PAYLOAD):
            self.digest = self._computed_digest(head)

    @property
    def key(self) -> str:
        if self._key is None:
            self._key = surt(self.url or "")
        return self._key

    @key.setter
    def key(self, key: str) -> None:
        self._key = key

    def fields(self, length: int, filename: str) -> dict[str, str]:
        """In the order of cdxj-indexer; what is not known is left out."""
        fields: dict[str, str] = {}
        if self.url is not None:
            fields["url"] = self.url
        if self.mime is not None:
            fields["mime"] = self.mime
        if self.status is not None:
            fields["status"] = self.status
        if self.digest is not None:
            fields["digest"] = self.digest
        if self.redirect is not None:
            fields["redirect"] = self.redirect
        fields["length"] = str(length)
        fields["offset"] = str(self.record.offset)
        fields["filename"] = filename
        if self.body is not None and not isinstance(self.record, Request):
            fields["requestBody"] = self.body.query
            fields["method"] = self.body.method
        return fields

    def _read_header(self) -> None:
        """Take address, date and digest from the record's header."""
        record = self.record
        if isinstance(record, ArcRecord):
            # The version block names its file where the other records name an address.
            url = None if isinstance(record, ArcVersionBlock) else record.target_uri
            self.timestamp, self.digest = _digits(record), None
        else:
            url = field_of(record, "WARC-Target-URI")
            date = field_of(record, "WARC-Date") or ""
            self.timestamp = bare_date(date) if _ISO.match(date) else _digits(record)
            self.digest = field_of(record, "WARC-Payload-Digest") or None
            if url and url[0] == "<" and url[-1] == ">":  # wget 1.19 and WARC 1.0's own grammar
                url = url[1:-1]
        # A space would end the column; old crawlers wrote some.
        self.url = url.replace(" ", "%20") if url and " " in url else url

    def _read_usual_answer(self, dialect: Dialect) -> bool:
        """Status and type of an answer as nearly all are: nothing is to be computed, and nothing is odd."""
        if self.digest is None or not isinstance(self.record, Response) or not self._is_http():
            return False
        found = usual_answer(self.record.block.peek(FIRST_LOOK))
        if found is None or (dialect is Dialect.WAYBACK and found[0].startswith("3")):
            return False
        self.status, declared = found
        self.mime = bare_type(declared)
        return True

    def _is_http(self) -> bool:
        """By the address; or the record says so, of `ws:`, `HTTP:`, and of `ftp:` through an HTTP proxy."""
        if not self.url or not self.record.block.length:
            return False
        return self.url.startswith(HTTP_SCHEMES) or self.record.is_http

    def _read_head(self) -> HttpHead | None:
        """The head of an HTTP message, read off the block, which then stands at the body."""
        if not isinstance(self.record, _HTTP_RECORDS) or not self._is_http():
            return None
        block = self.record.block
        parse = parse_request if isinstance(self.record, Request) else parse_response
        look = FIRST_LOOK
        head: HttpHead = parse(block.peek(look))
        while not head.complete and look < min(block.length, MAX_HEAD):
            look *= 8
            head = parse(block.peek(look))
        block.read(head.length)
        return head

    def _media_type(self, head: HttpHead | None) -> str | None:
        if isinstance(self.record, Revisit):
            return "warc/revisit"
        declared = bare_type(head.content_type) if head is not None else None
        if isinstance(self.record, ArcRecord) and not isinstance(self.record, ArcVersionBlock):
            return declared or _noted_type(self.record)
        return declared if isinstance(self.record, _HTTP_RECORDS) else bare_type(self.record.content_type)

    def _complete_for_wayback(self, head: HttpHead | None) -> None:
        if isinstance(self.record, Response | ArcRecord) and not self.mime:
            self.mime = "unk" if head is not None else bare_type(self.record.content_type)
        if isinstance(head, HttpResponse) and head.location and 300 <= (head.status or 0) < 400:
            try:
                self.redirect = resolve(self.url or "", head.location)
            except InvalidUrl:
                self.redirect = head.location  # as the server said it

    def _computed_digest(self, head: HttpHead | None) -> str:
        """SHA-1 of the payload as WARC 1.1 clause 6.3.2 means it: the entity, without the transfer coding."""
        hasher = hashlib.sha1(usedforsecurity=False)
        for piece in entity(self.record.block, head):
            hasher.update(piece)
        return "sha1:" + b32encode(hasher.digest()).decode("ascii")


def bare_type(declared: str | None) -> str | None:
    return _END_OF_TYPE.split(declared, maxsplit=1)[0] if declared else declared


def _noted_type(record: ArcRecord) -> str | None:
    """What the crawler noted; where it could not tell, it wrote `no-type` or `unknown`."""
    noted = bare_type(record.content_type)
    return noted if noted and "/" in noted else None


def bare_date(iso: str) -> str:
    return iso[:4] + iso[5:7] + iso[8:10] + iso[11:13] + iso[14:16] + iso[17:19]


def _digits(record: Record) -> str | None:
    date = record.date
    return None if date is None else f"{date.year:04}{date:%m%d%H%M%S}"


def header_length(record: Record) -> int:
    """Bytes from the first of a record to the first of its block."""
    raw = record.fields.raw
    if isinstance(record, ArcRecord):
        return len(raw)  # one line
    return record.unusual_head or len("WARC/1.1\r\n") + len(raw) + len("\r\n")
