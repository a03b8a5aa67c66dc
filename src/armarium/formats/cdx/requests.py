"""Requests with a body: the address under which their answers are found again.

Two POST requests to one address get two answers, so an index must tell them apart. By the custom of pywb 2.6,
cdxj-indexer and warcio.js (IIPC guideline "CDX for non-GET requests"), method and body are written into the
query: `?__wb_method=POST&` and then the body, flattened. The key is the SURT of that.
"""

import base64
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import Any
from urllib.parse import quote_plus, unquote_plus, urlencode

from armarium.formats.cdx import amf
from armarium.formats.http import HttpHead, Request
from armarium.formats.http.body import Entity, Payload
from armarium.formats.warc.block import Block

METHODS = frozenset({"POST", "PUT"})
LONGEST_QUERY = 4096  # characters, in pywb and cdxj-indexer
# Bytes that are looked at: parsed, they take sixty times as many. JSON cut there is not read, like any other.
LONGEST_BODY = 2 << 20
LENGTH_IF_UNKNOWN = 8192
# A character of a form takes twelve at most (%F0%9F%8C%8D); the last one may be cut.
_LONGEST_FORM = 12 * (LONGEST_QUERY + 1)


@dataclass(frozen=True)
class RequestBody:
    """What an index line tells of a request: its method and its body as part of a query."""

    method: str
    query: str  # `requestBody` in CDXJ

    def appended_to(self, url: str) -> str:
        """The address whose SURT is the key."""
        joint = "&" if "?" in url else "?"
        return f"{url}{joint}__wb_method={self.method}" + (f"&{self.query}" if self.query else "")


def request_body(method: str, content_type: str | None, body: bytes) -> RequestBody:
    """The body as a query. A body that claims a form it does not have is written in base64."""
    return RequestBody(method.upper(), _query(content_type or "", body)[:LONGEST_QUERY])


def _query(content_type: str, body: bytes) -> str:
    if content_type.startswith("application/x-www-form-urlencoded"):
        try:
            return unquote_plus(body.decode()[:_LONGEST_FORM])
        except UnicodeDecodeError:
            return _binary(body)
    if content_type.startswith("multipart/"):
        pairs = _multipart(content_type, body)
        return _binary(body) if pairs is None else _encoded(pairs)
    if content_type.startswith("application/json"):
        return _flattened(body) or ""
    if content_type.startswith("text/plain"):
        flattened = _flattened(body)
        return _binary(body) if flattened is None else flattened
    if content_type.startswith("application/x-amf"):
        described = amf.describe(body, LONGEST_QUERY)
        return "" if described is None else urlencode({"request": described})
    return _binary(body)


def _encoded(pairs: list[tuple[bytes, bytes]]) -> str:
    return urlencode([(name[:LONGEST_QUERY], value[:LONGEST_QUERY]) for name, value in pairs])


def _binary(body: bytes) -> str:
    return "__wb_post_data=" + base64.b64encode(body[:LONGEST_QUERY]).decode("ascii")


def _flattened(body: bytes) -> str | None:
    """JSON as a query: each leaf under its own name, whatever it was part of; None if it is no JSON.

    Several documents, one on each line, are read too.
    """
    try:
        documents = [json.loads(body)]
    except (ValueError, RecursionError):
        if b"\n" not in body or body.endswith(b"\n"):
            return None  # an empty line is no document
        try:
            documents = [json.loads(line) for line in io.BytesIO(body)]
        except (ValueError, RecursionError):
            return None
    pairs: dict[str, str] = {}
    repeats: dict[str, int] = {}
    written = 0
    for name, leaf in _leaves(documents):
        key = name
        if name in pairs:
            repeats[name] = repeats.get(name, 1) + 1
            key = f"{name}.{repeats[name]}_"
        pairs[key] = _leaf_text(leaf)
        written += len(key) + len(pairs[key])
        if written > LONGEST_QUERY:
            break  # what follows would be cut off
    # A lone surrogate can be written in JSON but not in UTF-8.
    return "&".join(f"{_quoted(name)}={_quoted(value)}" for name, value in pairs.items())


def _quoted(text: str) -> str:
    return quote_plus(text.encode("utf-8", "surrogatepass"))


def _leaves(documents: list[Any]) -> Iterator[tuple[str, Any]]:
    """Name and value of each leaf, in order. Without recursion: the nesting is somebody else's choice."""
    waiting: list[Iterator[tuple[str, Any]]] = [zip(repeat(""), documents, strict=False)]
    while waiting:
        for name, value in waiting[-1]:
            if isinstance(value, dict):
                waiting.append(iter(value.items()))
                break
            if isinstance(value, list):
                waiting.append(zip(repeat(name), value, strict=False))
                break
            if name:
                yield name, value
        else:
            waiting.pop()


def _leaf_text(leaf: Any) -> str:
    """As JavaScript writes it, and so pywb now and warcio.js; Python's `True` and `44.0` are older pywb's."""
    if leaf is None:
        return "null"
    if isinstance(leaf, bool):
        return "true" if leaf else "false"
    if isinstance(leaf, float) and leaf.is_integer() and abs(leaf) < 1e21:
        return str(int(leaf))
    return str(leaf)


_BOUNDARY = re.compile(r'boundary="?([^";,\s]{1,200})"?', re.IGNORECASE)
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_PARAMETER = re.compile(rb'[;\s](name|filename)\*?=(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))', re.IGNORECASE)
_MOST_PARTS = 10_000


def _multipart(content_type: str, body: bytes) -> list[tuple[bytes, bytes]] | None:
    """The named parts of a form (RFC 7578); None if the body has no such form."""
    boundary = _BOUNDARY.search(content_type)
    if boundary is None:
        return None
    # RFC 2046 5.1.1: the line break before a delimiter belongs to it. LF alone is met.
    delimiter = re.compile(rb"(?:\A|\r?\n)--" + re.escape(boundary[1].encode()) + rb"(--)?[ \t]*(?:\r?\n|\Z)")
    ends = list(zip(range(_MOST_PARTS), delimiter.finditer(body), strict=False))
    if not ends:
        return None
    pairs = []
    marks = [mark for _, mark in ends]
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        if mark[1]:
            break
        pair = _part(body[mark.end() : following.start() if following else len(body)])
        if pair is not None:
            pairs.append(pair)
    return pairs


def _part(part: bytes) -> tuple[bytes, bytes] | None:
    blank = _BLANK_LINE.search(part)
    if blank is None:
        return None
    for line in re.sub(rb"\r?\n[ \t]+", b" ", part[: blank.start()]).splitlines():
        if line[:20].lower() == b"content-disposition:":
            found = {
                name.lower(): quoted.replace(b'\\"', b'"') or bare
                for name, quoted, bare in _PARAMETER.findall(line)
            }
            return (found[b"name"], part[blank.end() :]) if b"name" in found else None
    return None


# --- The bodies of HTTP messages, as far as an index needs them: hashed, or made part of a key.


__all__ = ["RequestBody", "entity", "read_request_body"]


def entity(block: Block, head: HttpHead | None) -> Iterator[bytes]:
    """What is left of the block, without the transfer coding; all of it where there is no HTTP."""
    return iter(Entity(head, block) if head is not None and head.transfer_codings else block)


def read_request_body(head: Request, block: Block) -> RequestBody | None:
    """The body of a POST or PUT request as a query; None for other methods."""
    method = head.method.upper()
    if method not in METHODS:
        return None
    if "content-length" not in head.fields:
        wanted = LENGTH_IF_UNKNOWN
    elif head.content_length is not None:
        wanted = min(head.content_length, LONGEST_BODY)
    else:
        return RequestBody(method, "")  # as pywb: a body of no certain length is not looked at
    body = b"".join(Payload(head, block, limit=wanted))
    return request_body(method, head.content_type, body)
