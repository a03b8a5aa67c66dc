"""What is inside a message: body, entity, payload.

    body     the bytes after the head, as recorded
    entity   the body without transfer codings: what a server meant to send. Payload digests of WARC are
             made over it (ISO 28500:2017, 6.3.2), content codings left in place
    payload  the entity without content codings: what a reader sees and a format tool identifies

A recorder may have left the transfer coding out and its field in, or made the digest over the body: who
compares digests tries both, the entity and the body itself.
"""

from collections.abc import Iterable, Iterator

from armarium.formats.http.chunked import Dechunker
from armarium.formats.http.codings import Decoding, Outcome, decode_content
from armarium.formats.http.engines import FORMATS
from armarium.formats.http.head import HttpHead
from armarium.formats.http.message import Response
from armarium.formats.http.problems import problem
from armarium.formats.problem import Problem

BODILESS = frozenset((204, 304))


class Entity:
    """The entity of a message, to be iterated once; `problems` are complete when it has run out."""

    def __init__(self, head: HttpHead, body: Iterable[bytes], limit: int | None = None) -> None:
        self._dechunker = Dechunker() if head.is_chunked else None
        chunks = self._dechunked(body) if self._dechunker else iter(body)
        # RFC 9112, 7.2: compression may be a transfer coding too, below chunked.
        compressions = [coding for coding in head.transfer_codings if coding in FORMATS]
        self._decoding = decode_content(compressions, chunks, limit)

    @property
    def problems(self) -> list[Problem]:
        return [*(self._dechunker.problems if self._dechunker else ()), *self._decoding.problems]

    @property
    def outcome(self) -> Outcome:
        return self._decoding.outcome

    @property
    def already_decoded(self) -> bool:
        """The head says chunked, but the recorder stored the decoded bytes."""
        return self._dechunker is not None and self._dechunker.already_decoded

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._decoding)

    def _dechunked(self, body: Iterable[bytes]) -> Iterator[bytes]:
        assert self._dechunker is not None
        for chunk in body:
            if data := self._dechunker.feed(chunk):
                yield data
        if data := self._dechunker.finish():
            yield data


class Payload:
    """The payload of a message, to be iterated once; `problems` are complete when it has run out."""

    def __init__(self, head: HttpHead, body: Iterable[bytes], limit: int | None = None) -> None:
        self.entity = Entity(head, body, limit)
        self.decoding: Decoding = decode_content(head.content_codings, self.entity, limit)

    @property
    def problems(self) -> list[Problem]:
        return [*self.entity.problems, *self.decoding.problems]

    @property
    def outcome(self) -> Outcome:
        """How decoding went, of the transfer codings too where these went worse."""
        outcomes = {self.entity.outcome, self.decoding.outcome}
        return next(outcome for outcome in Outcome if outcome in outcomes)

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.decoding)


def has_body(head: HttpHead, method: str = "GET") -> bool:
    """RFC 9112, 6.3: no body in the answer to HEAD, in 1xx, 204 and 304, nor in a 2xx answer to CONNECT."""
    if not isinstance(head, Response):
        return head.is_chunked or bool(head.content_length)
    status = head.status or 0
    if method == "HEAD" or status in BODILESS or 100 <= status < 200:
        return False
    return not (method == "CONNECT" and 200 <= status < 300)


def check_length(
    head: HttpHead, length: int, *, method: str = "GET", truncated: str | None = None
) -> list[Problem]:
    """Compare the bytes recorded after the head with what it announces.

    `truncated` is the reason the recorder gave for cutting the record (WARC-Truncated): it excuses a body
    that is too short. A body whose chunks frame it has no length to compare (RFC 9112, 6.1).
    """
    if not has_body(head, method):
        return [problem("http-body-unexpected", head.length, length=length)] if length else []
    announced = head.content_length
    if announced is None or head.transfer_codings or announced == length:
        return []
    facts = {"length": length, "announced": announced}
    if length > announced:
        return [problem("http-body-longer", head.length + announced, **facts)]
    if truncated:
        return [problem("http-body-truncated", head.length + length, reason=truncated, **facts)]
    return [problem("http-body-shorter", head.length + length, **facts)]
