"""A block read once: the digests of block and payload, and what is inside against what the header says.

Comes in: a block as a stream, and what its header declares.
Goes out: findings, and which digests were checked.
It must never hold more of a block in memory than `WHOLE`.
"""

import re
from typing import NamedTuple

from armarium.formats.http import HttpHead, decode_content, parse_request, parse_response
from armarium.formats.problem import Problem
from armarium.formats.validation.digests import HASHERS, Hasher, encode, parse_digest
from armarium.formats.validation.header import Finding, Header
from armarium.formats.validation.http_body import Body, check_body, chunk_problems
from armarium.formats.validation.usual_message import usual_entity
from armarium.formats.validation.values import essence
from armarium.formats.warc.block import Block
from armarium.formats.warc.digest import Digest

WHOLE = 1024 * 1024  # bytes: a block up to this size is judged in one piece
# Where the payload is the block itself (ISO 28500:2017, 6.4.1 and 6.8); responses of other schemes too.
PAYLOAD_IS_BLOCK = ("resource", "conversion", "response", "request")
PIECE = 256 * 1024
MOST_DECODED = 16 * 1024 * 1024  # of a body whose digest may be that of its decoded bytes
WARC_FIELDS_TYPES = ("warcinfo", "metadata")
HTTP_TYPES = ("response", "request", "revisit")
# application/warc-fields (8.3): named fields; a line that begins with white space continues the one before.
WARC_FIELDS_LINE = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+[ \t]*:|[ \t]|\r?\Z")


class Content:
    """What was seen of a block."""

    __slots__ = ("checked", "findings", "length", "matched", "problems")

    def __init__(self) -> None:
        self.length = 0
        self.findings: list[Finding] = []
        self.problems: list[Problem] = []  # of the HTTP parser, as it words them
        self.checked = 0  # digests
        self.matched = 0


class Declared(NamedTuple):
    """What a header says of its block, as far as it can be checked."""

    block: Digest | None
    payload: Digest | None
    is_http: bool


def check_content(block: Block, header: Header) -> Content:
    """Read the block to its end and judge it."""
    first = header.first
    kind = header.kind
    # The payload digest of a revisit is of the original's payload, that of a first segment of all segments
    # together (5.9); warcinfo and metadata have no payload.
    own_payload = kind in PAYLOAD_IS_BLOCK and "warc-segment-number" not in first
    declared = Declared(
        checkable(first.get("warc-block-digest")),
        checkable(first.get("warc-payload-digest")) if own_payload else None,
        kind in HTTP_TYPES and essence(first.get("content-type", "")) == "application/http",
    )
    start = block.read(WHOLE)
    if len(start) == WHOLE and block.remaining:
        return _check_stream(start, block, header, declared)
    return _check_whole(start, header, declared)


def checkable(text: str | None) -> Digest | None:
    """A declared digest that can be computed; what is wrong with any other, the header's checks say."""
    digest = parse_digest(text) if text else None
    return digest if digest is not None and digest.value is not None and digest.algorithm in HASHERS else None


def _parse_head(start: bytes, kind: str) -> HttpHead:
    return parse_request(start) if kind == "request" else parse_response(start)


# A block that is all in memory: nearly every one ----------------------------------------------------------


def _check_whole(block: bytes, header: Header, declared: Declared) -> Content:
    content = Content()
    content.length = len(block)
    body, entity = None, block
    usual = -1
    if declared.is_http and "warc-identified-payload-type" not in header.first:
        usual = usual_entity(block, header.kind)
    if usual >= 0:
        entity = block[usual:]
    elif declared.is_http and block:
        body = Body(_parse_head(block, header.kind))
        entity = body.entity(block[body.head.length :])
        _check_http(body, header, content)
    elif header.kind in WARC_FIELDS_TYPES:
        _check_warc_fields(block, header, content)
    if declared.block is not None:
        _check_block(declared.block, digest_of(declared.block, block), content)
    payload = declared.payload
    if payload is not None:
        computed = digest_of(payload, entity)
        if computed == payload.value:
            content.checked += 1
            content.matched += 1
        else:
            if declared.is_http and body is None and block:
                body = Body(_parse_head(block, header.kind))  # nothing was to be found, until now
            readings = _other_readings(payload, computed, block, body, entity) if body else Readings(computed)
            _check_payload(payload, readings, content)
    return content


def _other_readings(digest: Digest, computed: bytes, block: bytes, body: Body, entity: bytes) -> "Readings":
    codings = body.head.content_codings
    decoded = b"".join(decode_content(codings, [entity], MOST_DECODED)) if codings else b""
    return Readings(
        computed,
        digest_of(digest, block[body.head.length :]) if body.dechunker else b"",
        digest_of(digest, block),
        digest_of(digest, decoded) if codings else b"",
    )


def digest_of(digest: Digest, data: bytes) -> bytes:
    return HASHERS[digest.algorithm](data).digest()


# A block in pieces ------------------------------------------------------------------------------------------


def _check_stream(start: bytes, block: Block, header: Header, declared: Declared) -> Content:
    """Several digests in one pass: of the block, of the payload, and of what may have been taken for it."""
    content = Content()
    body = Body(_parse_head(start, header.kind)) if declared.is_http else None
    whole = _hasher(declared.block)
    payload = _hasher(declared.payload)
    as_recorded = _hasher(declared.payload if body is not None and body.dechunker else None)
    of_block = whole if _same_algorithm(declared) else _hasher(declared.payload if body is not None else None)
    data = start
    recorded = start[body.head.length :] if body is not None else start
    while data:
        content.length += len(data)
        whole.update(data)
        if of_block is not whole:
            of_block.update(data)
        as_recorded.update(recorded)
        payload.update(body.feed(recorded) if body is not None else recorded)
        data = recorded = block.read(PIECE)
    if body is not None:
        payload.update(body.finish())
        _check_http(body, header, content)
    if declared.block is not None:
        _check_block(declared.block, whole.digest(), content)
    if declared.payload is not None:
        readings = Readings(
            payload.digest(), as_recorded.digest(), of_block.digest() if body is not None else b""
        )
        _check_payload(declared.payload, readings, content)
    return content


def _same_algorithm(declared: Declared) -> bool:
    block, payload = declared.block, declared.payload
    return block is not None and payload is not None and block.algorithm == payload.algorithm


class _Nothing:
    """A hasher for no digest."""

    def update(self, _data: bytes | memoryview, /) -> object:
        return None

    def digest(self) -> bytes:
        return b""


def _hasher(digest: Digest | None) -> Hasher:
    return HASHERS[digest.algorithm]() if digest is not None else _Nothing()


# The verdicts -----------------------------------------------------------------------------------------------


class Readings(NamedTuple):
    """The digests of what a writer may have taken for the payload; b"" where a reading makes no sense."""

    payload: bytes
    with_chunks: bytes = b""
    of_block: bytes = b""
    decoded: bytes = b""


def _check_block(digest: Digest, computed: bytes, content: Content) -> None:
    content.checked += 1
    if computed == digest.value:
        content.matched += 1
    else:
        content.findings.append(("warc-block-digest", _mismatch(digest, computed)))


def _check_payload(digest: Digest, readings: Readings, content: Content) -> None:
    """Which bytes the digest is of: those it should be, others that writers are known to take, or none."""
    content.checked += 1
    if digest.value == readings.payload:
        content.matched += 1
    elif digest.value == readings.with_chunks:
        content.matched += 1
        content.findings.append(("warc-payload-digest-chunked", {}))
    elif digest.value == readings.of_block:
        content.matched += 1
        content.findings.append(("warc-payload-digest-of-block", {}))
    elif digest.value == readings.decoded:
        content.matched += 1
        content.findings.append(("warc-payload-digest-decoded", {}))
    else:
        more = "; with its transfer coding it does not match either" if readings.with_chunks else ""
        content.findings.append(("warc-payload-digest", _mismatch(digest, readings.payload) | {"more": more}))


def _mismatch(digest: Digest, computed: bytes) -> dict[str, object]:
    return {"value": digest.text, "computed": encode(computed, digest.encoding)}


def _check_http(body: Body, header: Header, content: Content) -> None:
    first = header.first
    content.problems += body.head.problems
    identified = first.get("warc-identified-payload-type", "")
    # 5.19: not by blindly promoting the HTTP Content-Type. With its parameters, it can be nothing else.
    if ";" in identified and identified == body.head.content_type:
        content.findings.append(("warc-identified-type-copied", {"value": identified}))
    if header.kind == "revisit" or "warc-segment-number" in first:
        return  # the body was left out on purpose (6.7.2), or goes on in another record
    truncated = first.get("warc-truncated", "")
    if body.dechunker is not None:
        content.problems += chunk_problems(body, truncated)
    check_body(body, truncated, content.findings)


def _check_warc_fields(block: bytes, header: Header, content: Content) -> None:
    if not block or essence(header.first.get("content-type", "")) != "application/warc-fields":
        return
    for line in block.split(b"\n"):
        if not WARC_FIELDS_LINE.match(line):
            content.findings.append(("warc-fields-block", {"line": line[:200].decode("utf-8", "replace")}))
            return
