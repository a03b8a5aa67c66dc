"""A block read once: the digests of block and payload, and what is inside against what the header says.

Comes in: a block as a stream, and what its header declares.
Goes out: findings, and which digests were checked.
It must never hold more of a block in memory than `WHOLE`.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from armarium.formats.http import HttpHead, parse_request, parse_response
from armarium.formats.problem import Problem
from armarium.formats.validation.digests import HASHERS, encode, parse_digest
from armarium.formats.validation.fast_record import usual_entity
from armarium.formats.validation.header import Finding, Header
from armarium.formats.validation.http_body import Body, check_body, chunk_problems
from armarium.formats.validation.payload import Reading, hasher, read_payload
from armarium.formats.validation.values import essence
from armarium.formats.warc.block import Block
from armarium.formats.warc.digest import Digest

WHOLE = 1024 * 1024  # bytes: a block up to this size is judged in one piece
# Where the payload is the block itself (ISO 28500:2017, 6.4.1 and 6.8); responses of other schemes too.
PAYLOAD_IS_BLOCK = ("resource", "conversion", "response", "request")
PIECE = 256 * 1024
OF_BLOCK = "warc-payload-digest-of-block"
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
    body: Body | None = None
    entity: bytes | memoryview = block
    readings: list[Reading] = []
    usual = -1
    if declared.is_http and "warc-identified-payload-type" not in header.first:
        usual = usual_entity(block, header.kind)
    if usual >= 0:
        entity = memoryview(block)[usual:]
    elif declared.is_http and block:
        body = Body(_parse_head(block, header.kind))
        if body.compressions:
            readings = _readings(block, body, declared.payload)
        else:
            entity = body.entity(block[body.head.length :])
        _check_http(body, header, content)
    elif header.kind in WARC_FIELDS_TYPES:
        _check_warc_fields(block, header, content)
    if declared.block is not None:
        _check_block(declared.block, digest_of(declared.block, block), content)
    payload = declared.payload
    if payload is not None:
        readings = readings or [Reading(digest_of(payload, entity))]
        if declared.is_http and block and readings[0].digest != payload.value:
            # Read once more: nearly every digest is what it should be.
            body = Body(body.head if body is not None else _parse_head(block, header.kind))
            readings = _readings(block, body, payload)
        _check_payload(payload, readings, content)
    return content


def _readings(block: bytes, body: Body, payload: Digest | None) -> list[Reading]:
    start = body.head.length
    readings = read_payload([block[start:]], body, payload, len(block) - start)
    if payload is not None:
        readings.append(Reading(digest_of(payload, block), OF_BLOCK))
    return readings


def digest_of(digest: Digest, data: bytes | memoryview) -> bytes:
    return HASHERS[digest.algorithm](data).digest()


# A block in pieces ------------------------------------------------------------------------------------------


def _check_stream(start: bytes, block: Block, header: Header, declared: Declared) -> Content:
    """Several digests in one pass: of the block, of the payload, and of what may have been taken for it."""
    content = Content()
    payload = declared.payload
    body = Body(_parse_head(start, header.kind)) if declared.is_http else None
    whole = hasher(declared.block)
    of_block = whole if _same_algorithm(declared) else hasher(payload)

    def recorded() -> Iterator[bytes]:
        data, skip = start, body.head.length if body is not None else 0
        while data:
            content.length += len(data)
            whole.update(data)
            if of_block is not whole:
                of_block.update(data)
            yield data[skip:] if skip else data
            data, skip = block.read(PIECE), 0

    readings: list[Reading] = []
    if body is not None:
        readings = read_payload(recorded(), body, payload, block.length - body.head.length)
        _check_http(body, header, content)
    else:
        for _ in recorded():
            pass
    if declared.block is not None:
        _check_block(declared.block, whole.digest(), content)
    if payload is not None:
        readings.append(Reading(of_block.digest(), OF_BLOCK if body is not None else ""))
        _check_payload(payload, readings, content)
    return content


def _same_algorithm(declared: Declared) -> bool:
    block, payload = declared.block, declared.payload
    return block is not None and payload is not None and block.algorithm == payload.algorithm


# The verdicts -----------------------------------------------------------------------------------------------


def _check_block(digest: Digest, computed: bytes, content: Content) -> None:
    content.checked += 1
    if computed == digest.value:
        content.matched += 1
    else:
        content.findings.append(("warc-block-digest", _mismatch(digest, computed)))


def _check_payload(digest: Digest, readings: list[Reading], content: Content) -> None:
    """Which bytes the digest is of: those it should be, others that writers are known to take, or none."""
    for reading in readings:
        if reading.digest == digest.value:
            content.checked += 1
            content.matched += 1
            if reading.code:
                content.findings.append((reading.code, dict(reading.facts)))
            return
    untried = [reading for reading in readings if reading.digest is None]
    if untried:
        facts = {"value": digest.text, "limit": untried[0].facts["limit"]}
        content.findings.append(("warc-payload-digest-untried", facts))
        return
    content.checked += 1
    chunked = any(reading.code == "warc-payload-digest-chunked" for reading in readings)
    more = "; with its transfer coding it does not match either" if chunked else ""
    content.findings.append(
        ("warc-payload-digest", _mismatch(digest, readings[0].digest or b"") | {"more": more})
    )


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
