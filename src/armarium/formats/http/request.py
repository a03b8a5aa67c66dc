"""Requests: the request line, with whatever clients and crawlers have put into it."""

import re

from armarium.formats.http.fields import text
from armarium.formats.http.head import MAX_HEAD, TOKEN, Early, HttpHead, find_head_end, start_of_message
from armarium.formats.http.problems import Findings, excerpt

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
        return _lenient(raw, complete=end >= 0)
    method, target, version = regular.groups()
    request = Request(raw, version.decode(), regular.end(), None, complete=end >= 0)
    request.method, request.target = method.decode(), text(target)
    return request


def _lenient(raw: bytes, *, complete: bool) -> Request:
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
