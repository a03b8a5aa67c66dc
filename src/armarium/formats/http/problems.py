"""Every malformation of an HTTP message that is recognised, under its stable code."""

from typing import NamedTuple

from armarium.formats.problem import Problem, Severity

ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE


class Kind(NamedTuple):
    severity: Severity
    clause: str
    message: str  # with %(name)s places for the facts


KINDS: dict[str, Kind] = {
    # The head as a whole.
    "http-head-absent": Kind(
        WARNING, "RFC 9112, 2.1", "There is no HTTP head: the bytes are taken as a body."
    ),
    "http-head-unterminated": Kind(
        WARNING, "RFC 9112, 2.1", "The head ends without the empty line that separates it from the body."
    ),
    "http-head-too-large": Kind(
        WARNING, "", "The head has more than %(limit)s bytes; the rest was not read."
    ),
    "http-leading-lines": Kind(NOTE, "RFC 9112, 2.2", "Empty lines precede the first line of the message."),
    "http-line-end-lf": Kind(NOTE, "RFC 9112, 2.2", "Lines of the head end with LF instead of CRLF."),
    "http-line-end-cr": Kind(WARNING, "RFC 9112, 2.2", "Lines of the head end with CR instead of CRLF."),
    "http-bare-cr": Kind(WARNING, "RFC 9112, 2.2", "A CR stands inside a line of the head."),
    "http-null-byte": Kind(WARNING, "RFC 9110, 5.5", "A NUL byte stands in the head."),
    # The status line.
    "http-status-line-missing": Kind(WARNING, "RFC 9112, 4", "The response begins with a header field."),
    "http-status-line-malformed": Kind(WARNING, "RFC 9112, 4", "The status line %(line)s is malformed."),
    "http-version-missing": Kind(WARNING, "RFC 9112, 2.3", "The first line has no version number."),
    "http-version-odd": Kind(NOTE, "RFC 9112, 2.3", "The version %(version)s is not one of HTTP/1.x."),
    "http-status-missing": Kind(WARNING, "RFC 9112, 4", "The status line has no status code."),
    "http-status-invalid": Kind(
        WARNING, "RFC 9110, 15", "The status code %(status)s is not a number from 100 to 599."
    ),
    "http-reason-missing": Kind(NOTE, "RFC 9112, 4", "The status line ends after the status code."),
    # The request line.
    "http-request-line-malformed": Kind(WARNING, "RFC 9112, 3", "The request line %(line)s is malformed."),
    "http-request-target-space": Kind(WARNING, "RFC 9112, 3.2", "The request target contains white space."),
    "http-method-invalid": Kind(WARNING, "RFC 9110, 9.1", "The method %(method)s is not a token."),
    "http-host-missing": Kind(NOTE, "RFC 9112, 3.2", "A request of HTTP/1.1 has no Host field."),
    # Fields.
    "http-fields-too-many": Kind(WARNING, "", "There are more than %(limit)s fields; the rest was not read."),
    "http-field-folded": Kind(NOTE, "RFC 9112, 5.2", "The field %(name)s is folded over several lines."),
    "http-field-without-colon": Kind(WARNING, "RFC 9112, 5", "The line %(line)s has no colon."),
    "http-field-space-before-colon": Kind(
        WARNING, "RFC 9112, 5.1", "White space stands around the name of field %(name)s."
    ),
    "http-field-name-empty": Kind(WARNING, "RFC 9110, 5.1", "A field has no name."),
    "http-field-name-invalid": Kind(WARNING, "RFC 9110, 5.1", "The field name %(name)s is not a token."),
    "http-field-value-control": Kind(
        WARNING, "RFC 9110, 5.5", "The value of field %(name)s has control characters."
    ),
    "http-field-value-not-ascii": Kind(
        NOTE, "RFC 9110, 5.5", "The value of field %(name)s has bytes outside US-ASCII, read as %(charset)s."
    ),
    "http-content-length-invalid": Kind(
        WARNING, "RFC 9110, 8.6", "Content-Length %(value)s is not a decimal number."
    ),
    "http-content-length-repeated": Kind(
        WARNING, "RFC 9110, 8.6", "Content-Length is given more than once, with the same number."
    ),
    "http-content-length-conflicting": Kind(
        ERROR, "RFC 9112, 6.3", "Content-Length is given more than once, with different numbers: %(values)s."
    ),
    "http-content-length-with-transfer-encoding": Kind(
        WARNING, "RFC 9112, 6.1", "Content-Length stands beside Transfer-Encoding, which overrides it."
    ),
    "http-transfer-coding-unknown": Kind(
        WARNING, "RFC 9112, 7", "The transfer coding %(coding)s is not known; its bytes are left as they are."
    ),
    "http-transfer-coding-order": Kind(
        WARNING, "RFC 9112, 6.1", "Chunked is not the last transfer coding, once."
    ),
    # The body: length.
    "http-body-shorter": Kind(
        WARNING, "RFC 9112, 6.3", "The body has %(length)s bytes; Content-Length announces %(announced)s."
    ),
    "http-body-longer": Kind(
        WARNING,
        "RFC 9112, 6.3",
        "The body has %(length)s bytes; Content-Length announces only %(announced)s.",
    ),
    "http-body-truncated": Kind(
        NOTE, "", "The body has %(length)s of %(announced)s bytes: it was cut when recorded (%(reason)s)."
    ),
    "http-body-unexpected": Kind(
        WARNING, "RFC 9112, 6.3", "There are %(length)s bytes after the head of a message that has no body."
    ),
    # The body: chunked transfer coding.
    "http-chunked-already-decoded": Kind(
        NOTE,
        "RFC 9112, 7.1",
        "The head says chunked, the body is not: it was decoded before it was recorded.",
    ),
    "http-chunk-line-end-lf": Kind(
        NOTE, "RFC 9112, 7.1", "Lines between the chunks end with LF instead of CRLF."
    ),
    "http-chunk-size-invalid": Kind(
        ERROR, "RFC 9112, 7.1", "%(line)s is not the size of a chunk; the rest is passed on as recorded."
    ),
    "http-chunk-size-too-large": Kind(
        ERROR, "RFC 9112, 7.1", "The chunk size %(line)s is absurd; the rest is passed on as recorded."
    ),
    "http-chunk-size-padded": Kind(NOTE, "RFC 9112, 7.1", "White space stands around the size of a chunk."),
    "http-chunk-end-missing": Kind(WARNING, "RFC 9112, 7.1", "A chunk is not followed by the end of a line."),
    "http-chunk-empty-line": Kind(WARNING, "RFC 9112, 7.1", "An empty line stands between two chunks."),
    "http-chunk-truncated": Kind(
        WARNING, "RFC 9112, 8", "The body ends inside a chunk: %(missing)s bytes miss."
    ),
    "http-chunk-last-missing": Kind(
        WARNING, "RFC 9112, 8", "The body ends without the last chunk, of size 0."
    ),
    "http-chunk-trailer-unterminated": Kind(
        NOTE, "RFC 9112, 7.1.2", "The body ends without the empty line after the last chunk."
    ),
    "http-chunk-trailer-too-large": Kind(
        WARNING, "RFC 9112, 7.1.2", "The trailer after the last chunk is not one, or has no end."
    ),
    "http-chunk-data-after": Kind(WARNING, "RFC 9112, 7.1", "Bytes follow the end of the chunked body."),
    # The body: content codings.
    "http-coding-unknown": Kind(
        WARNING,
        "RFC 9110, 8.4",
        "The content coding %(coding)s cannot be decoded; its bytes are left as they are.",
    ),
    "http-coding-not-one": Kind(
        NOTE, "RFC 9110, 8.4", "Content-Encoding names %(coding)s, which is not a coding; it is ignored."
    ),
    "http-codings-too-many": Kind(
        WARNING, "", "There are more than %(limit)s content codings; none is decoded."
    ),
    "http-coding-mislabelled": Kind(
        WARNING, "RFC 9110, 8.4", "The head says %(coding)s, the bytes are %(actual)s and are read as such."
    ),
    "http-coding-truncated": Kind(WARNING, "RFC 9110, 8.4", "The %(coding)s stream ends early."),
    "http-coding-damaged": Kind(
        ERROR, "RFC 9110, 8.4", "The %(coding)s stream is damaged (%(error)s); what precedes was read."
    ),
    "http-coding-checksum": Kind(
        ERROR, "RFC 1952, 2.3.1", "The %(coding)s stream is readable, but its checksum does not match."
    ),
    "http-coding-data-after": Kind(
        WARNING, "RFC 9110, 8.4", "Bytes follow the end of the %(coding)s stream."
    ),
    "http-deflate-raw": Kind(NOTE, "RFC 9110, 8.4.1.2", "The deflate stream has no zlib wrapper."),
    "http-payload-too-large": Kind(
        WARNING, "", "Decoding was stopped at the limit of %(limit)s bytes; there is more."
    ),
}


def problem(code: str, offset: int = 0, **facts: object) -> Problem:
    """Make a finding; the offset counts from the first byte of the message (of the body, for its codings)."""
    kind = KINDS[code]
    return Problem(
        code=code,
        offset=offset,
        message=kind.message % facts if facts else kind.message,
        severity=kind.severity,
        clause=kind.clause,
    )


def excerpt(line: bytes) -> str:
    """A recorded line inside a sentence: short, and harmless to a terminal."""
    start = repr(line[:60])[1:]
    return start if len(line) <= 60 else f"{start}…"


class Findings:
    """The problems of one message: each code once, where first met, so that no input floods a report."""

    __slots__ = ("_codes", "problems")

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self._codes: set[str] = set()

    def note(self, code: str, offset: int = 0, **facts: object) -> None:
        if code not in self._codes:
            self._codes.add(code)
            self.problems.append(problem(code, offset, **facts))
