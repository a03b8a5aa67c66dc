"""Responses: the status line, in all the shapes that servers and crawlers have left behind."""

import re

from armarium.formats.http.fields import Fields, text
from armarium.formats.http.head import MAX_HEAD, TOKEN, Early, HttpHead, find_head_end, start_of_message
from armarium.formats.http.problems import Findings, excerpt

# RFC 9112, 4: status-line = HTTP-version SP status-code SP [ reason-phrase ]
STATUS_LINE = re.compile(rb"(HTTP/1\.[01]) ([1-5][0-9]{2}) ([^\r\n\0]*+)\r\n")
# Seen too: "HTTP/2 200", "ICY 200 OK", "HTTP 200 OK", "http/1.1 200", "HTTP1.1 200", "HTTP/1.1 OK"; and
# before a status that is one, any version: "HTTP/1,1 200", "HTTP/1.10 200". What sticks to the status, as in
# "HTTP/1.1 403.14 Forbidden", is not part of it: Chromium, curl 7.88 and wget read it so. httptools and
# Python's http.client refuse the answer; an archive would lose by that what readers of the live page saw.
LENIENT_STATUS_LINE = re.compile(
    rb"[ \t]*+(?P<protocol>https?|icy|rtsp|sip|shoutcast)"
    rb"(?:(?P<slash>[ \t]*/[ \t]*)"
    rb"(?P<version>[!-~]{1,16}(?=[ \t]+[1-9][0-9]{2}(?![0-9]))|[0-9]\.[0-9x]|[0-9](?![0-9]))?"
    rb"|(?P<bare>[0-9]\.[0-9x]))?"
    rb"(?P<gap>[ \t]*+)(?P<status>[0-9]*+)(?P<rest>[^\n]*+)",
    re.IGNORECASE,
)
_version_of_now = re.compile(r"HTTP/1\.[0-9x]").fullmatch
# Names that make a block without status line a head, and not a style sheet or a letter.
TELLING = ("content-type", "content-length", "server", "date", "connection", "location", "set-cookie")


class Response(HttpHead):
    """The head of a response."""

    status: int | None = None  # None where there is none that can be read; 0 and 999 occur
    reason: str = ""

    @property
    def location(self) -> str | None:
        return self.fields.get("location")


def parse_response(data: bytes) -> Response:
    """Read the head at the beginning of `data`, which may go on with the body.

    The body begins at `.length`. Not `.complete`: the empty line has not come yet; give more bytes (up to
    `MAX_HEAD`), or take it as it is. Bytes that are no head give an empty one ("HTTP/0.9"). Never raises.
    """
    regular = STATUS_LINE.match(data)
    end = find_head_end(data, regular.end() if regular else None)
    raw = data[:end] if end >= 0 else data[:MAX_HEAD]
    if regular is None or regular.end() > len(raw):
        return _lenient(raw, complete=end >= 0)
    version, status, reason = regular.groups()
    response = Response(raw, version.decode(), regular.end(), None, complete=end >= 0)
    response.status = int(status)
    response.reason = text(reason)
    return response


def _lenient(raw: bytes, *, complete: bool) -> Response:
    start = start_of_message(raw)
    cr = b"\n" not in raw and b"\r" in raw
    line_end = raw.find(b"\r" if cr else b"\n", start)
    fields_at = line_end + 1 if line_end >= 0 else len(raw)
    line = raw[start:fields_at].rstrip(b"\r\n")
    complete = complete or (cr and raw.endswith(b"\r\r"))
    match = LENIENT_STATUS_LINE.match(line)
    if match and (match["version"] or match["bare"] or len(match["status"]) == 3):
        return _from_status_line(raw, match, start, fields_at, complete=complete, cr=cr)
    if not _has_telling_field(raw, start, cr=cr):
        return Response(b"", "HTTP/0.9", 0, [("http-head-absent", 0, {})], complete=complete)
    if TOKEN.match(text(line.partition(b":")[0].strip())) and b":" in line.partition(b" ")[0]:
        early: list[Early] = [("http-status-line-missing", start, {})]
        return Response(raw, "HTTP/0.9", start, early, complete=complete, cr=cr)
    early = [("http-status-line-malformed", start, {"line": excerpt(line)})]
    response = Response(raw, "HTTP/0.9", fields_at, early, complete=complete, cr=cr)
    if re.match(rb"[1-5][0-9]{2}(?![0-9])", line):  # "200 OK"
        response.status, response.reason = int(line[:3]), text(line[3:].strip())
    return response


def _from_status_line(
    raw: bytes, match: re.Match[bytes], start: int, fields_at: int, *, complete: bool, cr: bool
) -> Response:
    early: list[Early] = []
    protocol = match["protocol"].upper().decode()
    number = match["version"] or match["bare"]
    version = f"{protocol}/{number.decode()}" if number else protocol
    if number is None and protocol != "ICY":
        early.append(("http-version-missing", start, {}))
    elif not _version_of_now(version):
        early.append(("http-version-odd", start, {"version": version}))
    status, rest = match["status"], match["rest"]
    reason = text(rest.strip())
    if not status:
        early.append(("http-status-missing", start, {}))
    elif not (len(status) == 3 and b"100" <= status < b"600"):
        early.append(("http-status-invalid", start, {"status": excerpt(status)}))
    if status and not reason and not rest:
        early.append(("http-reason-missing", start, {}))
    if not _well_spaced(match):
        early.append(("http-status-line-malformed", start, {"line": excerpt(match.group())}))
    response = Response(raw, version, fields_at, early, complete=complete, cr=cr)
    response.status = int(status) if 0 < len(status) <= 3 else None
    response.reason = reason
    return response


def _well_spaced(match: re.Match[bytes]) -> bool:
    """Whether the parts stand where RFC 9112, 4 puts them, apart from what has a finding of its own."""
    return (
        match["protocol"].isupper()
        and match.start("protocol") == 0
        and match["bare"] is None
        and match["slash"] in (None, b"/")
        and (match["gap"] == b" " or not match["status"])
        and (match["rest"][:1] in (b"", b" ") or not match["status"])
    )


def _has_telling_field(raw: bytes, start: int, *, cr: bool) -> bool:
    fields = Fields(raw[start:], b"\r" if cr else b"\n")
    return any(name in fields for name in TELLING)


# --- Requests: the request line, with whatever clients and crawlers have put into it.


# RFC 9112, 3: request-line = method SP request-target SP HTTP-version
REQUEST_LINE = re.compile(rb"([!#$%&'*+\-.^_`|~0-9A-Za-z]++) ([^\s\0]++) (HTTP/1\.[01])\r\n")
VERSION_AT_END = re.compile(rb"[ \t]+(https?/[0-9](?:\.[0-9])?|https?/?)[ \t]*\Z", re.IGNORECASE)


class Request(HttpHead):
    """The head of a request."""

    method: str = ""  # as written: RFC 9110, 9.1 makes methods case-sensitive
    target: str = ""  # origin form, absolute form, authority form (CONNECT) or "*"

    @property
    def host(self) -> str | None:
        return self.fields.get("host")

    def _inspect(self, findings: Findings) -> None:
        super()._inspect(findings)
        if self.version == "HTTP/1.1" and "host" not in self.fields:
            findings.note("http-host-missing")


def parse_request(data: bytes) -> Request:
    """Read the head at the beginning of `data`, which may go on with the body; as `parse_response`."""
    regular = REQUEST_LINE.match(data)
    end = find_head_end(data, regular.end() if regular else None)
    raw = data[:end] if end >= 0 else data[:MAX_HEAD]
    if regular is None or regular.end() > len(raw):
        return _lenient_request(raw, complete=end >= 0)
    method, target, version = regular.groups()
    request = Request(raw, version.decode(), regular.end(), None, complete=end >= 0)
    request.method, request.target = method.decode(), text(target)
    return request


def _lenient_request(raw: bytes, *, complete: bool) -> Request:
    start = start_of_message(raw)
    cr = b"\n" not in raw and b"\r" in raw
    line_end = raw.find(b"\r" if cr else b"\n", start)
    fields_at = line_end + 1 if line_end >= 0 else len(raw)
    complete = complete or (cr and raw.endswith(b"\r\r"))
    line = raw[start:fields_at].rstrip(b"\r\n")
    early: list[Early] = []
    # The target ends where the version begins, at the end of the line: a space in it is then no riddle.
    trailing = line[-40:]
    match = VERSION_AT_END.search(trailing)
    version = match[1].decode().upper() if match else "HTTP/0.9"
    rest = line[: len(line) - len(match.group())] if match else line
    if not version.startswith("HTTP/1."):
        early.append(_about_version(version, start))
    method, _, target = rest.strip(b" \t").partition(b" ")
    if not method or not target or target[:1] == b" ":
        early.append(("http-request-line-malformed", start, {"line": excerpt(line)}))
    target = target.strip(b" \t")
    if re.search(rb"\s", target):
        early.append(("http-request-target-space", start, {}))
    if method and not TOKEN.fullmatch(text(method)):
        early.append(("http-method-invalid", start, {"method": excerpt(method)}))
    request = Request(raw, version, fields_at, early, complete=complete, cr=cr)
    request.method, request.target = text(method), text(target)
    return request


def _about_version(version: str, start: int) -> Early:
    if version[-1:].isdigit() and version != "HTTP/0.9":
        return "http-version-odd", start, {"version": version}
    return "http-version-missing", start, {}
