"""One request and what came back, and the bytes of the answer."""

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO

from isal import isal_zlib

from armarium.formats.http import Decoding, Entity, Response, decode_content
from armarium.formats.warc.new_record import Truncation
from armarium.harvest.fetch.chunks import joined

# --- The bytes of one answer, exactly as received: small ones in memory, others in a file without a name.


IN_MEMORY = 1 << 20
PIECE = 1 << 18  # read from the file at a time


class Wire:
    """Bytes are added while they come in; then `data`, or `pieces()` as often as wanted; then `close()`.

    The file has no name: nothing is left of it when the process is killed.
    """

    __slots__ = ("_file", "_folder", "_pieces", "head_length", "length")

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pieces: list[bytes] = []
        self._file: IO[bytes] | None = None
        self.length = 0
        self.head_length = 0  # bytes of the head, the empty line included

    def add(self, data: bytes) -> None:
        """Raises OSError when the disk does not take it."""
        self.length += len(data)
        if self._file is not None:
            self._write(self._file, data)
        else:
            self._pieces.append(data)
            if self.length > IN_MEMORY:
                self._move_to_file()

    def _move_to_file(self) -> None:
        self._file = tempfile.TemporaryFile(dir=self._folder, buffering=0)  # noqa: SIM115  (closed in `close`)
        for piece in self._pieces:
            self._write(self._file, piece)
        self._pieces = []

    @staticmethod
    def _write(file: IO[bytes], data: bytes) -> None:
        """All of it: a file without a buffer takes less when the disk is nearly full."""
        written = file.write(data)
        while written < len(data):
            written += file.write(data[written:])

    @property
    def data(self) -> bytes | None:
        """All bytes, if they are in memory."""
        if self._file is not None:
            return None
        pieces = self._pieces
        if len(pieces) == 1:
            return pieces[0]
        whole = b"".join(pieces)
        self._pieces = [whole]
        return whole

    def pieces(self, start: int = 0) -> Iterator[bytes]:
        """The bytes from `start` on, in pieces of bounded size."""
        data = self.data
        if data is not None:
            yield data[start:] if start else data
            return
        assert self._file is not None
        number = self._file.fileno()
        while piece := os.pread(number, PIECE, start):
            start += len(piece)
            yield piece

    def clear(self) -> None:
        """Forget everything: what came was not the answer."""
        self.close()
        self.length = self.head_length = 0

    def close(self) -> None:
        self._pieces = []
        if self._file is not None:
            self._file.close()
            self._file = None


# --- What one request brought.


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


# --- What a look-up of a name brought.


@dataclass(frozen=True, slots=True)
class DnsAnswer:
    """An answer of a name server, for a `dns:` record."""

    name: str
    server: str  # address of the name server
    started: datetime
    duration: float
    text: bytes  # a line with the time, then the resource records, a line each: as Heritrix records them


@dataclass(frozen=True, slots=True)
class Resolution:
    addresses: tuple[str, ...] = ()
    record: DnsAnswer | None = None  # only when name servers were asked just now
    error: str = ""
    absent: bool = False  # there is no such name, or it has no address: the name server says so
