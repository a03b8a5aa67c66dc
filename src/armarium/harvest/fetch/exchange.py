"""What one request brought."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from isal import isal_zlib

from armarium.formats.http import Decoding, Entity, Response, decode_content
from armarium.formats.warc.new_record import Truncation
from armarium.harvest.fetch.chunks import joined
from armarium.harvest.fetch.wire import Wire

INFLATE_ERROR: type[Exception] = isal_zlib.IsalError  # type: ignore[assignment]  # its stubs name an instance
GZIP_WINDOW = 16 + 15  # zlib's number for "a gzip header, and the largest window"


@dataclass(frozen=True, slots=True)
class TlsFacts:
    """What is known of a TLS connection."""

    protocol: str  # "TLSv1.3"
    cipher: str
    verified: bool  # chain, dates and name, as a browser checks them
    problem: str = ""  # why not, in OpenSSL's words
    fingerprint: str = ""  # SHA-256 of the server's certificate, hexadecimal


@dataclass(slots=True)
class Exchange:
    """One request and what came back, as bytes on the wire."""

    url: str
    status: int  # of HTTP, or a negative `model.Status`
    started: datetime
    response: Wire
    duration: float = 0.0  # seconds until the last byte
    first_byte: float = 0.0  # seconds until the first one
    address: str = ""  # of the server; of the proxy where the proxy was asked for the page itself
    port: int = 0
    request: bytes = b""  # as sent, but for credentials, which are withheld
    head: Response | None = None
    truncated: Truncation | None = None
    head_truncated: bool = False
    tls: TlsFacts | None = None
    error: str = ""  # one sentence for the log
    surplus: int = 0  # bytes that came behind the answer and are no part of it
    reused: bool = False  # whether the connection had served before
    decoded_limit: int = 1 << 25  # `max_decoded_bytes` of the order
    _entity: bytes | None = field(default=None, repr=False)

    def entity(self) -> bytes:
        """The body without its transfer coding: whole if it is in memory, else its beginning."""
        if self._entity is None:
            self._entity = self._decoded_entity()
        return self._entity

    def _decoded_entity(self) -> bytes:
        head, data = self.head, self.response.data
        if head is None:
            return b""
        if data is not None:
            codings = head.transfer_codings
            if not codings:
                return data[self.response.head_length :]
            plain = joined(data[self.response.head_length :]) if codings == ("chunked",) else None
            if plain is not None:
                return plain
        return self._joined(Entity(head, self._body()), self.decoded_limit)

    def content(self, limit: int) -> bytes:
        """What a reader sees: content codings removed too; at most `limit` bytes."""
        if self.head is None:
            return b""
        codings = self.head.content_codings
        if not codings:
            return self.entity()[:limit]
        if codings in (("gzip",), ("x-gzip",)) and (data := self.response.data) is not None:
            # Where there is no transfer coding, the packed bytes are where they are, and not copied.
            packed = (
                self.entity() if self.head.transfer_codings else memoryview(data)[self.response.head_length :]
            )
            unpacked = unpacked_gzip(packed, limit)
            if unpacked is not None:
                return unpacked
        # What a transfer coding gives is bounded too; packed bytes may be more than those that they hold.
        entity = Entity(self.head, self._body(), max(limit, self.response.length))
        return self._joined(decode_content(codings, entity, limit), limit)

    def _body(self) -> Iterator[bytes]:
        return self.response.pieces(self.response.head_length)

    @staticmethod
    def _joined(source: Entity | Decoding, limit: int) -> bytes:
        """At most `limit` bytes; the source is left where they are reached."""
        pieces, room = [], limit
        for piece in source:
            pieces.append(piece[:room])
            room -= len(pieces[-1])
            if room <= 0:
                break
        return b"".join(pieces)


def unpacked_gzip(entity: bytes | memoryview, limit: int) -> bytes | None:
    """One whole and undamaged member, as nearly all servers send; None for anything else."""
    engine = isal_zlib.decompressobj(GZIP_WINDOW)
    try:
        out = engine.decompress(entity, limit) if limit else b""
    except INFLATE_ERROR:
        return None
    if len(out) >= limit or (engine.eof and not engine.unused_data):
        return out
    return None
