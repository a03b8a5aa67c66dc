"""The head of a message: where it ends, what its fields say about the body, and what is wrong with it.

A head is taken as the recorder left it. Nothing in it can make reading fail: each malformation is read as
browsers and crawlers read it, and noted. Findings are made only when somebody asks for them: an index reads
a few fields of each head and must not pay for a full inspection.
"""

import re

from armarium.formats.http.fields import MAX_FIELDS, Field, Fields
from armarium.formats.http.problems import Findings, excerpt
from armarium.formats.problem import Problem

MAX_HEAD = 1 << 20  # bytes; no browser takes more than a quarter of this

# RFC 9112, 2.2: a recipient MAY recognise a single LF as a line terminator and ignore any preceding CR.
# Where the empty line was forgotten, a page shows that the body has begun: no field begins like this.
MARKUP = rb"(?i:<(?:!doctype|!--|\?xml|html|head|body|title|meta|script|center|h1|pre)\b)"
HEAD_END = re.compile(rb"\n(?:\r*+\n|(?=" + MARKUP + rb"))")
EMPTY_LINES = re.compile(rb"[\r\n]*+")
# RFC 9110, 5.6.2: token.
TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
CONTROL = re.compile(rb"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]")
DIGITS = re.compile(r"[0-9]{1,18}")

TRANSFER_CODINGS = frozenset({"chunked", "gzip", "x-gzip", "deflate", "compress", "x-compress", "identity"})

Early = tuple[str, int, dict[str, object]]  # a finding made while the first line was read


def find_head_end(buffer: bytes | bytearray, first_line: int | None = None) -> int:
    """Where the body begins: the offset after the first empty line that follows a line, or -1.

    It is looked for in the first `MAX_HEAD` bytes. Lines end with CRLF or LF; CR alone ends lines only in a
    head that has CR CR before its first LF. `first_line` says where the first line ends, if that is known.
    """
    if first_line is not None:
        found = HEAD_END.search(buffer, first_line - 1, MAX_HEAD)
        return found.end() if found else -1
    start = start_of_message(buffer)
    line_end = buffer.find(b"\n", start)
    ends = buffer.find(b"\r\r", start, line_end if 0 <= line_end < MAX_HEAD else MAX_HEAD)
    if ends >= 0 and not _is_crs_then_lf(buffer, ends):
        return ends + 2 if ends + 2 < len(buffer) else -1
    found = HEAD_END.search(buffer, start, MAX_HEAD)
    return found.end() if found else -1


def start_of_message(buffer: bytes | bytearray) -> int:
    """RFC 9112, 2.2: empty lines before the first line are ignored."""
    if buffer[:1] not in (b"\r", b"\n"):
        return 0
    found = EMPTY_LINES.match(buffer)
    return found.end() if found else 0


def _is_crs_then_lf(buffer: bytes | bytearray, at: int) -> bool:
    """CR CR LF is the line end of a head that went through a text-mode file twice."""
    found = EMPTY_LINES.match(buffer, at)
    return found is not None and b"\n" in found.group()


class HttpHead:
    """What requests and responses have in common."""

    def __init__(
        self,
        raw: bytes,
        version: str,
        first_line: int,
        early: list[Early] | None,
        *,
        complete: bool,
        cr: bool = False,
    ) -> None:
        self.raw = raw  # exactly as recorded, with the empty line: bytes(head) writes it back
        self.version = version  # "HTTP/1.1", "HTTP/2", "ICY", …; "HTTP/0.9" where there is no head
        self.complete = complete  # False: the empty line is missing, perhaps because the buffer was cut
        self.fields = Fields(raw[first_line:], b"\r" if cr else b"\n")
        self._first_line = first_line  # bytes before the fields
        self._early = early  # findings about the first line; None: it is exactly as the standard asks
        self._problems: list[Problem] | None = None
        self._transfer_codings: tuple[str, ...] | None = None
        self._content_codings: tuple[str, ...] | None = None

    @property
    def length(self) -> int:
        """Bytes of the head; the body begins here."""
        return len(self.raw)

    def __bytes__(self) -> bytes:
        return self.raw

    @property
    def content_type(self) -> str | None:
        return self.fields.get("content-type")

    @property
    def media_type(self) -> str | None:
        """Type and subtype in lower case, without parameters: "text/html"."""
        declared = self.content_type
        if not declared:
            return None
        return declared.split(";", 1)[0].split(",", 1)[0].strip().lower() or None

    @property
    def content_length(self) -> int | None:
        """RFC 9112, 6.3: one number repeated counts once; numbers in conflict count for none."""
        values = set(self.fields.listed("content-length"))
        value = values.pop() if len(values) == 1 else ""
        return int(value) if DIGITS.fullmatch(value) else None

    @property
    def transfer_codings(self) -> tuple[str, ...]:
        """In the order applied, lower case, without parameters and identity."""
        if self._transfer_codings is None:
            self._transfer_codings = _codings(self.fields, "transfer-encoding")
        return self._transfer_codings

    @property
    def content_codings(self) -> tuple[str, ...]:
        """In the order applied, lower case, without parameters and identity."""
        if self._content_codings is None:
            self._content_codings = _codings(self.fields, "content-encoding")
        return self._content_codings

    @property
    def is_chunked(self) -> bool:
        return "chunked" in self.transfer_codings

    @property
    def problems(self) -> list[Problem]:
        """Everything that is malformed in the head, each code once; offsets count from its first byte."""
        if self._problems is None:
            findings = Findings()
            self._inspect(findings)
            self._problems = findings.problems
        return self._problems

    def _inspect(self, findings: Findings) -> None:
        for code, offset, facts in self._early or ():
            findings.note(code, offset, **facts)
        if self._early is not None or not self.complete or not self.fields.is_clean:
            self._inspect_lines(findings)
            for field in self.fields:
                _inspect_field(field, self._first_line + field.offset, findings)
            if self.fields.cut:
                findings.note("http-fields-too-many", limit=MAX_FIELDS)
        self._inspect_framing(findings)

    def _inspect_lines(self, findings: Findings) -> None:
        raw = self.raw
        if start_of_message(raw):
            findings.note("http-leading-lines")
        if len(raw) >= MAX_HEAD:
            findings.note("http-head-too-large", len(raw), limit=MAX_HEAD)
        elif raw and not self._is_terminated():
            findings.note("http-head-unterminated", len(raw))
        if b"\0" in raw:
            findings.note("http-null-byte", raw.find(b"\0"))
        if b"\n" not in raw:
            if b"\r" in raw:
                findings.note("http-line-end-cr", raw.find(b"\r"))
            return
        lf = re.search(rb"(?<!\r)\n", raw)
        if lf:
            findings.note("http-line-end-lf", lf.start())
        cr = re.search(rb"\r(?!\n)", raw)
        if cr:
            findings.note("http-bare-cr", cr.start())

    def _is_only(self, length: bytes) -> bool:
        """Whether this is a plain number, and certainly the only Content-Length."""
        return length.isdigit() and len(length) <= 18 and self.raw.lower().count(b"content-length") == 1

    def _is_terminated(self) -> bool:
        if self.fields.line_end == b"\r":
            return self.complete
        return self.raw.count(b"\n", len(self.raw.rstrip(b"\r\n"))) >= 2

    def _inspect_framing(self, findings: Findings) -> None:
        length = self.fields.get_bytes("content-length")
        if self.fields.get_bytes("transfer-encoding") is None and (length is None or self._is_only(length)):
            return  # as in most heads
        lengths = self.fields.listed("content-length")
        codings = self.transfer_codings
        invalid = next((value for value in lengths if not DIGITS.fullmatch(value)), None)
        if invalid is not None:
            findings.note("http-content-length-invalid", value=repr(invalid[:60]))
        if len(set(lengths)) > 1:
            findings.note("http-content-length-conflicting", values=", ".join(lengths[:5])[:100])
        elif len(lengths) > 1:
            findings.note("http-content-length-repeated")
        if lengths and codings:
            findings.note("http-content-length-with-transfer-encoding")
        for coding in codings:
            if coding not in TRANSFER_CODINGS:
                findings.note("http-transfer-coding-unknown", coding=repr(coding[:60]))
        # RFC 9112, 6.1: chunked is applied once, and as the final coding.
        if "chunked" in codings and codings.index("chunked") != len(codings) - 1:
            findings.note("http-transfer-coding-order")


def _codings(fields: Fields, name: str) -> tuple[str, ...]:
    if fields.get_bytes(name) is None:
        return ()
    named = (member.split(";", 1)[0].strip().strip("\"'").lower() for member in fields.listed(name))
    return tuple(coding for coding in named if coding and coding != "identity")


def _inspect_field(field: Field, offset: int, findings: Findings) -> None:
    name, colon, value = field.raw.partition(b":")
    if not colon:
        findings.note("http-field-without-colon", offset, line=excerpt(field.raw.strip(b"\r\n")))
        return
    shown = excerpt(name.strip())
    if not name.strip():
        findings.note("http-field-name-empty", offset)
    elif name[-1:] in b" \t" or name[:1] in b" \t":
        findings.note("http-field-space-before-colon", offset, name=shown)
    if field.name and not TOKEN.fullmatch(field.name):
        findings.note("http-field-name-invalid", offset, name=shown)
    if b"\n" in value.rstrip(b"\r\n"):
        findings.note("http-field-folded", offset, name=shown)
    if CONTROL.search(value):
        findings.note("http-field-value-control", offset, name=shown)
    if not value.isascii():
        findings.note("http-field-value-not-ascii", offset, name=shown, charset=_charset(value))


def _charset(value: bytes) -> str:
    try:
        value.decode()
    except UnicodeDecodeError:
        return "ISO-8859-1"
    return "UTF-8"
