"""The bodies of HTTP messages, as far as an index needs them: hashed, or made part of a key."""

from collections.abc import Iterator

from armarium.formats.cdx.requests import LENGTH_IF_UNKNOWN, LONGEST_BODY, METHODS, RequestBody, request_body
from armarium.formats.http import HttpHead, Request
from armarium.formats.http.body import Entity, Payload
from armarium.formats.warc.block import Block

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
