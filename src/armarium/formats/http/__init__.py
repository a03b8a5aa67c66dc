"""HTTP/1.x messages as crawlers have recorded them for twenty-five years, and what is inside their bodies.

Comes in: the bytes of a message, at once (heads) or as they stream by (bodies).
Goes out: `Response` and `Request` heads; the *entity* (the body without its transfer coding: what payload
digests are made of) and the *payload* (the entity without its content codings: what a reader sees);
`Problem`s with stable codes "http-…".
It must never raise because of what was recorded, change a byte of a head, keep more of a body in memory than
a fixed amount, or decode more than it was allowed to.
"""

from armarium.formats.http.body import Entity, Payload, check_length, has_body
from armarium.formats.http.chunked import Dechunker
from armarium.formats.http.codings import Decoding, Outcome, decode_content
from armarium.formats.http.fields import Field, Fields
from armarium.formats.http.head import MAX_HEAD, HttpHead, find_head_end
from armarium.formats.http.message import Request, Response, parse_request, parse_response

__all__ = [
    "MAX_HEAD",
    "Dechunker",
    "Decoding",
    "Entity",
    "Field",
    "Fields",
    "HttpHead",
    "Outcome",
    "Payload",
    "Request",
    "Response",
    "check_length",
    "decode_content",
    "find_head_end",
    "has_body",
    "parse_request",
    "parse_response",
]
