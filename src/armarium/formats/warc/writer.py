"""Writing of WARC 1.1 files."""

import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import IO, BinaryIO

from armarium.formats.warc.detection import Compression
from armarium.formats.warc.hashing import ALGORITHMS, PayloadHash, labelled
from armarium.formats.warc.header import header_lines
from armarium.formats.warc.new_record import NewRecord
from armarium.formats.warc.packing import ZstdPacking, packing

IN_MEMORY = 4 * 1024 * 1024  # a block up to this size is never put down on disk
CHUNK = 256 * 1024
SEPARATOR = b"\r\n\r\n"
# WARC 1.1 clauses 6.2 and 6.6: warcinfo and metadata have no payload; a revisit's payload is elsewhere, and a
# continuation's is that of all segments together.
_WITHOUT_PAYLOAD = frozenset({"warcinfo", "metadata", "revisit", "continuation"})


@dataclass(frozen=True, slots=True)
class Written:
    """Where a record went, and what it turned out to be."""

    record_id: str
    offset: int
    length: int  # in the file
    content_length: int  # of the block
    block_digest: str
    payload_digest: str | None


class WarcWriter:
    """Puts records into a file that is open for writing. Given ids and dates, the bytes are always the
    same.
    """

    def __init__(
        self,
        sink: BinaryIO,
        *,
        compression: Compression = Compression.GZIP,
        level: int | None = None,
        dictionary: bytes | None = None,
        algorithm: str = "sha1",
        warcinfo_id: str | None = None,
        offset: int = 0,
        spool: Callable[[], IO[bytes]] = lambda: tempfile.SpooledTemporaryFile(IN_MEMORY),  # noqa: SIM115
    ) -> None:
        if algorithm not in ALGORITHMS:
            raise ValueError(f"No digest is called {algorithm!r}; there are {', '.join(ALGORITHMS)}.")
        self._sink = sink
        self._algorithm = algorithm
        self._packing = packing(compression, level, dictionary)
        self._spool = spool
        self.warcinfo_id = warcinfo_id  # what records that name no other warcinfo belong to
        self.offset = offset  # where in the file the next record will begin
        if isinstance(self._packing, ZstdPacking) and offset == 0:
            self._put(self._packing.beginning())

    def write(self, record: NewRecord) -> Written:
        """Put one record at the end of the file. A warcinfo record becomes that of all that follow."""
        if record.record_type == "warcinfo":
            self.warcinfo_id = record.record_id
        elif record.warcinfo_id is None and self.warcinfo_id is not None:
            record = replace(record, warcinfo_id=self.warcinfo_id)
        if isinstance(record.block, bytes):
            return self._write_whole(record, record.block)
        with closing(self._spool()) as spool:
            return self._write_spooled(record, record.block, spool)

    def _write_whole(self, record: NewRecord, block: bytes) -> Written:
        block_hash = ALGORITHMS[self._algorithm]()
        block_hash.update(block)
        block_digest = labelled(self._algorithm, block_hash.digest())
        payload = self._payload_hash(record)
        if isinstance(payload, PayloadHash):
            payload.update(block)
        payload_digest = self._payload_digest(record, payload, block_digest)
        head = header_lines(record, len(block), block_digest, payload_digest)
        offset = self.offset
        self._put(self._packing.whole(b"".join((head, block, SEPARATOR))))
        return Written(
            record.record_id, offset, self.offset - offset, len(block), block_digest, payload_digest
        )

    def _write_spooled(self, record: NewRecord, pieces: Iterable[bytes], spool: IO[bytes]) -> Written:
        block_hash = ALGORITHMS[self._algorithm]()
        payload = self._payload_hash(record)
        length = 0
        for piece in pieces:
            block_hash.update(piece)
            if isinstance(payload, PayloadHash):
                payload.update(piece)
            spool.write(piece)
            length += len(piece)
        block_digest = labelled(self._algorithm, block_hash.digest())
        payload_digest = self._payload_digest(record, payload, block_digest)
        head = header_lines(record, length, block_digest, payload_digest)
        offset = self.offset
        total = len(head) + length + len(SEPARATOR)
        for packed in self._packing.pieces(_around(head, spool), total):
            self._put(packed)
        return Written(record.record_id, offset, self.offset - offset, length, block_digest, payload_digest)

    def _payload_hash(self, record: NewRecord) -> PayloadHash | bool:
        """What makes the payload digest; true where it is that of the block, false where there is none."""
        if record.payload_digest is not None or record.record_type in _WITHOUT_PAYLOAD:
            return False
        if record.segment_number is not None:
            return False
        if (record.content_type or "").lower().startswith("application/http"):
            return PayloadHash(self._algorithm, request=record.record_type == "request")
        return True

    def _payload_digest(
        self, record: NewRecord, payload: PayloadHash | bool, block_digest: str
    ) -> str | None:
        if isinstance(payload, PayloadHash):
            # A request mostly has no body, and the digest of nothing says nothing.
            return payload.finish() if payload.length or record.record_type == "response" else None
        return block_digest if payload else record.payload_digest

    def _put(self, data: bytes) -> None:
        self._sink.write(data)
        self.offset += len(data)


def _around(head: bytes, spool: IO[bytes]) -> Iterator[bytes]:
    spool.seek(0)
    yield head
    while piece := spool.read(CHUNK):
        yield piece
    yield SEPARATOR
