"""Writing of WARC 1.1 files."""

import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from typing import IO, TYPE_CHECKING, BinaryIO, NamedTuple

from armarium.core.late import late
from armarium.formats.problem import Problem
from armarium.formats.warc.cursor import Compression
from armarium.formats.warc.digest import ALGORITHMS, PayloadHash, digest_of, labelled
from armarium.formats.warc.fields import header_lines
from armarium.formats.warc.new_record import NewRecord
from armarium.formats.warc.packing import ZstdPacking, packing
from armarium.formats.warc.usual_capture import UsualCapture, usual_headers

if TYPE_CHECKING:
    from armarium.formats.warc.reader import ArchiveReader
else:
    ArchiveReader = late("armarium.formats.warc.reader:ArchiveReader")


IN_MEMORY = 4 * 1024 * 1024  # a block up to this size is never put down on disk
CHUNK = 256 * 1024
SEPARATOR = b"\r\n\r\n"
# WARC 1.1 clauses 6.2 and 6.6: warcinfo and metadata have no payload; a revisit's payload is elsewhere, and a
# continuation's is that of all segments together.
_WITHOUT_PAYLOAD = frozenset({"warcinfo", "metadata", "revisit", "continuation"})


class Written(NamedTuple):
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

    A record is written whole or not at all: what there is of one that failed is cut off, at once or before
    the next. Where the file does not let itself be cut, every further write is refused.
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
        self._torn = False  # whether half a record stands there
        if isinstance(self._packing, ZstdPacking) and offset == 0:
            self._put(self._packing.beginning())

    def write(self, record: NewRecord) -> Written:
        """Put one record at the end of the file. A warcinfo record becomes that of all that follow."""
        if self._torn:
            self.mend()
        begin, self._torn = self.offset, True
        try:
            block = record.block
            written = (
                self._write_whole(record, block) if isinstance(block, bytes) else self._write(record, block)
            )
            self._torn = False
        finally:
            if self._torn:
                self.give_up(begin)
        if record.record_type == "warcinfo":
            self.warcinfo_id = record.record_id
        return written

    def write_capture(self, capture: UsualCapture) -> Written:
        """Put the three records of a capture at the end of the file, or none; tells of the first."""
        if self._torn:
            self.mend()
        headers = usual_headers(capture, self._algorithm, self.warcinfo_id)
        first = self._packed(headers.response, capture.response, capture.packed_from)
        second = self._packed(headers.request, capture.request, None)
        third = self._packed(headers.metadata, capture.metadata, None)
        begin, length, self._torn = self.offset, len(first), True
        try:
            self._put(first)
            self._put(second)
            self._put(third)
            self._torn = False
        finally:
            if self._torn:
                self.give_up(begin)
        size, digest = len(capture.response), headers.response_digest
        return Written(headers.response_id, begin, length, size, digest, capture.payload_digest)

    def give_up(self, begin: int) -> None:
        """Cut off what was written behind that place, now or before the next record."""
        self.offset, self._torn = begin, True
        with suppress(OSError):  # the disk may still be full: what is wrong is told already
            self.mend()

    def mend(self) -> None:
        """Cut off half a record, if there is one: the file ends with a whole record then.

        `OSError` where that cannot be done, because the disk is still full or the file cannot be cut.
        """
        if not self._torn:
            return
        try:
            self._sink.seek(self.offset)
            self._sink.truncate()
        except OSError as error:
            reason = error.strerror or str(error)
            raise OSError(
                error.errno,
                f"There is half a record at byte {self.offset}, and it cannot be cut off ({reason}). "
                "Make room, or go on in another file",
            ) from error
        self._torn = False

    def _write(self, record: NewRecord, pieces: Iterable[bytes]) -> Written:
        if record.block_digest is not None and record.block_length is not None:
            return self._write_known(record, pieces, record.block_digest, record.block_length)
        with closing(self._spool()) as spool:
            return self._write_spooled(record, pieces, spool)

    def _write_whole(self, record: NewRecord, block: bytes) -> Written:
        block_digest = record.block_digest or digest_of(self._algorithm, block)
        payload_digest = record.payload_digest
        if payload_digest is None:
            payload = self._payload_hash(record)
            if isinstance(payload, PayloadHash):
                payload.update(block)
            payload_digest = self._payload_digest(record, payload, block_digest)
        length = len(block)
        head = header_lines(record, length, block_digest, payload_digest, self.warcinfo_id)
        data = self._packed(head, block, record.packed_from)
        offset = self.offset
        self._put(data)
        return Written(record.record_id, offset, len(data), length, block_digest, payload_digest)

    def _packed(self, head: bytes, block: bytes, packed_from: int | None) -> bytes:
        if packed_from is None:
            return self._packing.whole(b"".join((head, block, SEPARATOR)))
        body = memoryview(block)[packed_from:]
        return self._packing.partly(head + block[:packed_from], body, SEPARATOR)

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
        return self._write_pieces(record, _read(spool), length, block_digest, payload_digest)

    def _write_known(
        self, record: NewRecord, pieces: Iterable[bytes], block_digest: str, length: int
    ) -> Written:
        payload = self._payload_hash(record)
        if isinstance(payload, PayloadHash):
            raise ValueError(  # noqa: TRY004
                f"The record {record.record_id} names the digest of its block, not of its payload."
            )
        payload_digest = self._payload_digest(record, payload, block_digest)
        return self._write_pieces(record, _exactly(pieces, length), length, block_digest, payload_digest)

    def _write_pieces(
        self,
        record: NewRecord,
        pieces: Iterable[bytes],
        length: int,
        block_digest: str,
        payload_digest: str | None,
    ) -> Written:
        head = header_lines(record, length, block_digest, payload_digest, self.warcinfo_id)
        offset = self.offset
        total = len(head) + length + len(SEPARATOR)
        for packed in self._packing.pieces(chain((head,), pieces, (SEPARATOR,)), total):
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


def _read(spool: IO[bytes]) -> Iterator[bytes]:
    spool.seek(0)
    while piece := spool.read(CHUNK):
        yield piece


def _exactly(pieces: Iterable[bytes], length: int) -> Iterator[bytes]:
    """The pieces, which must be as long together as the header of their record already says."""
    found = 0
    for piece in pieces:
        found += len(piece)
        yield piece
    if found != length:
        raise ValueError(f"A block of {length} bytes was announced, but {found} came.")


# --- Which file a record goes into: names, sizes, and what is kept of a file that was never finished.


OPEN_SUFFIX = ".open"  # a file that is still written to
USUAL_SIZE = 1_000_000_000  # WARC 1.1 annex C: 10^9 bytes is a practical limit

# By job, as NetarchiveSuite names files, and by site, as Heritrix does.
JOB_TEMPLATE = "{job}-{harvest}-{time}-{serial}-{host}"
SITE_TEMPLATE = "{site}-{time}-{serial}-{host}"
_SUFFIXES = {Compression.NONE: ".warc", Compression.GZIP: ".warc.gz", Compression.ZSTD: ".warc.zst"}
_UNSAFE = re.compile(r"[^A-Za-z0-9._]+")
_PLACE = re.compile(r"\{(\w+)\}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
LONGEST_NAME = 200  # many disks end at 255 bytes, and `.open` is to follow


@dataclass(frozen=True, slots=True)
class Naming:
    """How the files of one writer are called. The values fill the template beside time and serial number."""

    template: str
    values: tuple[tuple[str, str], ...] = ()
    compression: Compression = Compression.GZIP

    def name(self, moment: datetime, serial: int) -> str:
        """The name of the file begun at that moment, without `.open`."""
        time = moment.astimezone(UTC).strftime("%Y%m%d%H%M%S%f")[:17]
        known = {name: safe(value) for name, value in self.values}
        known |= {"time": time, "serial": f"{serial:05d}"}
        missing = sorted(set(_PLACE.findall(self.template)) - set(known))
        if missing:
            raise ValueError(
                f"The file name template {self.template!r} needs a value for {', '.join(missing)}."
            )
        name = _PLACE.sub(lambda place: known[place[1]], self.template) + _SUFFIXES[self.compression]
        if not _NAME.fullmatch(name) or len(name) > LONGEST_NAME:
            raise ValueError(
                f"The file name template {self.template!r} gives {name[:300]!r}, which is no plain file name "
                f"of at most {LONGEST_NAME} characters: letters, digits and . _ -, a letter or digit first."
            )
        return name


def safe(value: str) -> str:
    """A value that can stand in a file name on any system and cannot leave the folder."""
    return _UNSAFE.sub("_", value).lstrip("._").rstrip(".") or "unnamed"


def is_full(size: int, limit: int = USUAL_SIZE) -> bool:
    """Whether the next record should begin a new file. Records are never cut: the limit may be passed
    by one.
    """
    return size >= limit


def open_name(name: str) -> str:
    """The name while the file is written."""
    return name + OPEN_SUFFIX


def sealed_name(name: str) -> str:
    """The name once the file is complete."""
    return name.removesuffix(OPEN_SUFFIX)


@dataclass(frozen=True, slots=True)
class Recovery:
    """What can be kept of a file whose writer died."""

    keep: int  # bytes; what follows is to be cut off
    lost: int  # bytes that follow
    records: int  # whole records that are kept
    problems: tuple[Problem, ...]


def plan_recovery(source: BinaryIO, size: int) -> Recovery:
    """Where to cut an unfinished file of that size so that it ends with its last whole record."""
    reader = ArchiveReader(source)
    problems: list[Problem] = []
    whole = 0
    for record in reader:
        record.finish()
        problems.extend(record.problems)
        if reader.end == record.offset + record.length:
            whole = record.number + 1
    return Recovery(reader.end, size - reader.end, whole, (*problems, *reader.problems))
