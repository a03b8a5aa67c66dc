"""Frames one after the other, each decoded block by block, with its place in the file.

The library decodes, but does not say how many bytes of its input a frame took: the sizes of the blocks do.
"""

from collections.abc import Callable, Sequence

import zstandard

from armarium.formats.problem import Catalogue, Kind, Problem, Severity
from armarium.formats.source import Source
from armarium.formats.zstd.header import LONGEST, MAGIC, SKIPPABLE, Header, parse_header

# --- What can be wrong with zstd frames, as problems with stable codes.


_COPY = "Restore the file from another copy."

DAMAGE = Catalogue(
    {
        "zstd-truncated": Kind(
            Severity.ERROR,
            "The file ends inside the zstd frame that begins at byte {frame}.",
            "RFC 8878 section 3.1",
            "Writing or transfer was cut. Fetch the file again, or cut it at the end of the "
            "last whole record.",
        ),
        "zstd-invalid": Kind(
            Severity.ERROR,
            "The zstd frame at byte {frame} is damaged: {reason}.",
            "RFC 8878 section 3.1",
            _COPY,
        ),
        "zstd-checksum-mismatch": Kind(
            Severity.ERROR,
            "The checksum of the zstd frame at byte {frame} does not match its data.",
            "RFC 8878 section 3.1.1",
            "The data changed after they were written. Restore the file from another copy.",
        ),
        "zstd-dictionary-invalid": Kind(
            Severity.ERROR,
            "The dictionary at byte {frame} cannot be used: {reason}.",
            "Zstandard compression of WARC files 1.0",
            _COPY,
        ),
        "zstd-trailing-data": Kind(
            Severity.ERROR,
            "{count} bytes behind the last zstd frame are no zstd frame.",
            "RFC 8878 section 3",
            "Compare with another copy; if the bytes mean nothing, cut them off.",
        ),
        "zstd-lost-range": Kind(
            Severity.ERROR,
            "{count} bytes could not be read: from byte {begin} to the next zstd frame at byte {end}.",
            "RFC 8878 section 3",
            _COPY,
        ),
    }
)


# --- Frames one after the other, each decoded block by block, with its place in the file.


# Zstandard compression of WARC files 1.0: the dictionary stands first, in a skippable frame of this number,
# as it is or itself compressed.
DICTIONARY = b"\x5d\x2a\x4d\x18"
LARGEST_DICTIONARY = 16 * 1024 * 1024
# Up to level 19 windows have 8 MiB at most. What only --long and --ultra -22 make, 128 MiB, is not worth the
# memory that a small hostile file could ask for.
LARGEST_WINDOW = 64 * 1024 * 1024
LARGEST_BLOCK = 128 * 1024
STEP = 64 * 1024  # compressed bytes decoded at a time
# Decoded bytes that come at a time at most: 4 bytes of file can stand for a whole block of zeros.
LARGEST_PIECE = 1024 * 1024
PATIENCE = 256 * 1024 * 1024  # bytes searched twice in all

_RLE, _COMPRESSED, _RESERVED = 1, 2, 3


class Frame:
    """One zstd frame. `end` is known once `read` has returned b""."""

    plain = False
    end = 0
    broken = False
    size = 0  # decoded so far
    last = b""
    problems: Sequence[Problem] = ()

    def __init__(self, source: Source, header: Header, decompressor: zstandard.ZstdDecompressor) -> None:
        self.offset = source.offset
        self.header = header
        self._source = source
        self._decode: zstandard.ZstdDecompressionObj | None = decompressor.decompressobj()
        self._feed = source.peek(header.size)
        source.position += header.size

    @property
    def length(self) -> int:
        """Bytes in the file; 0 while unknown."""
        return self.end - self.offset if self.end else 0

    def read(self) -> bytes:
        """The next decoded bytes; b"" at the end of the frame, or where it is damaged or cut."""
        while self._decode is not None:
            blocks, ended = self._blocks()
            feed, self._feed = self._feed + blocks, b""
            try:
                piece = self._decode.decompress(feed)
            except zstandard.ZstdError as error:
                self._break("zstd-invalid", reason=str(error))
                piece = b""
            if self.broken:
                self._decode = None
            elif ended:
                self._finish()
            if piece:
                self.size += len(piece)
                self.last = piece
                return piece
        return b""

    def _blocks(self) -> tuple[bytes, bool]:
        """Some next blocks with their headers, and whether the last of them ends the frame."""
        blocks, size, decoded, ended = [], 0, 0, False
        while size < STEP and decoded < LARGEST_PIECE and not ended:
            block, most, ended = self._block()
            if not block:
                break
            blocks.append(block)
            size += len(block)
            decoded += most
        return b"".join(blocks), ended

    def _block(self) -> tuple[bytes, int, bool]:
        """The next block, the most bytes it can decode to, and whether it ends the frame."""
        source = self._source
        head = source.peek(3)
        # RFC 8878 section 3.1.1.2: Last_Block (1 bit), Block_Type (2 bits), Block_Size (21 bits),
        # little-endian.
        value = int.from_bytes(head, "little")
        kind = (value >> 1) & 3
        if kind == _RESERVED or value >> 3 > LARGEST_BLOCK:
            self._break("zstd-invalid", reason="a block is larger than blocks may be, or of no known kind")
            return b"", 0, False
        size = 3 + (1 if kind == _RLE else value >> 3)
        if len(head) < 3 or not source.has(size):
            source.position = len(source.data)
            self._break("zstd-truncated")
            return b"", 0, False
        block = source.peek(size)
        source.position += size
        return block, LARGEST_BLOCK if kind == _COMPRESSED else value >> 3, bool(value & 1)

    def _finish(self) -> None:
        source, decode = self._source, self._decode
        assert decode is not None, "a frame is finished once"
        self._decode = None
        if self.header.has_checksum:
            if not source.has(4):
                source.position = len(source.data)
                self._break("zstd-truncated")
                return
            try:
                decode.decompress(source.peek(4))
            except zstandard.ZstdError:
                self._note("zstd-checksum-mismatch", source.offset)
            source.position += 4
        self.end = source.offset

    def _break(self, code: str, **facts: object) -> None:
        self.broken = True
        self.end = self._source.offset
        self._note(code, self.end, **facts)

    def _note(self, code: str, offset: int, **facts: object) -> None:
        self.problems = [*self.problems, DAMAGE.problem(code, offset, frame=self.offset, **facts)]


class Frames:
    """The frames of a file, from where the source stands; a dictionary is taken from the file's beginning.

    `plausible` says of a frame's first bytes whether they are what the file should hold: after damage, the
    search for the next frame goes by it.
    """

    def __init__(self, source: Source, plausible: Callable[[bytes], bool] = bool) -> None:
        self._source = source
        self._plausible = plausible
        self._last: Frame | None = None
        self._patience = PATIENCE
        self.problems: list[Problem] = []  # of what stands between frames
        self.dictionary: bytes | None = None
        self._decompressor = zstandard.ZstdDecompressor(max_window_size=LARGEST_WINDOW)
        here = source.offset
        if source.go_to(0):
            self._take_dictionary()
            source.go_to(here)

    def next(self) -> Frame | None:
        """The next frame; None at the end. The one before must have been read to its end."""
        if self._last is not None and self._last.broken:
            return self._search(self._last)
        source = self._source
        while (magic := source.peek(4)) in SKIPPABLE:
            size = int.from_bytes(source.peek(8)[4:], "little")
            if not self._skip(8 + size):
                self._report("zstd-truncated", source.offset, frame=source.offset)
                return None
        if not magic:
            return None
        header = _header(source)
        if header is None:
            return self._search(self._last)
        self._last = Frame(source, header, self._decompressor)
        return self._last

    def enter(self) -> tuple[Frame, bytes] | None:
        """The next frame that holds anything, with its first bytes."""
        while (frame := self.next()) is not None:
            piece = frame.read()
            if piece:
                return frame, piece
            self.problems.extend(frame.problems)
        return None

    def _skip(self, count: int) -> bool:
        source = self._source
        while count:
            step = min(count, len(source.data) - source.position)
            source.position += step
            count -= step
            if count and not source.more():
                return False
        return True

    def _take_dictionary(self) -> None:
        source = self._source
        if source.peek(4) != DICTIONARY:
            return
        size = int.from_bytes(source.peek(8)[4:], "little")
        if size > LARGEST_DICTIONARY or not source.has(8 + size):
            self._report("zstd-dictionary-invalid", 0, frame=0, reason="it is cut, or too large")
            return
        raw = source.peek(8 + size)[8:]
        try:
            if raw.startswith(MAGIC):
                raw = zstandard.ZstdDecompressor().decompress(raw, max_output_size=LARGEST_DICTIONARY)
            dictionary = zstandard.ZstdCompressionDict(raw)
            self._decompressor = zstandard.ZstdDecompressor(dictionary, max_window_size=LARGEST_WINDOW)
            self.dictionary = raw
        except (zstandard.ZstdError, MemoryError, ValueError) as error:
            self._report("zstd-dictionary-invalid", 0, frame=0, reason=str(error))

    def _search(self, last: Frame | None) -> Frame | None:
        """What follows is no frame, or the last one ended in damage: find the next that makes sense."""
        source = self._source
        begin = source.offset
        lost = last.end if last is not None and last.broken else begin
        if last is not None and last.broken:
            self._patience -= begin - last.offset
            if self._patience <= 0 or not source.go_to(last.offset + 1):
                source.go_to(begin)
        for offset in source.find_all(MAGIC):
            frame = self._probe(last)
            if frame is not None:
                if offset > lost:
                    self._report("zstd-lost-range", lost, count=offset - lost, end=offset)
                self._last = frame
                return frame
        self._last = None
        if source.offset > lost and not (last is not None and last.broken):
            self._report("zstd-trailing-data", lost, count=source.offset - lost)
        return None

    def _probe(self, last: Frame | None) -> Frame | None:
        source = self._source
        here = source.offset
        if last is not None and source.peek(48) in last.last:
            return None  # a zstd file captured inside the damaged frame, not a frame of this file
        header = _header(source)
        if header is None:
            return None
        trial = Frame(source, header, self._decompressor)
        makes_sense = self._plausible(trial.read())
        if not source.go_to(here) or not makes_sense:
            return None
        return Frame(source, header, self._decompressor)

    def _report(self, code: str, begin: int, **facts: object) -> None:
        self.problems.append(DAMAGE.problem(code, begin, begin=begin, **facts))


def _header(source: Source) -> Header | None:
    try:
        return parse_header(source.peek(LONGEST))
    except ValueError:
        return None
