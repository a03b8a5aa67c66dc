"""The bytes of a run, version 1.

    head     a skippable frame: "armarium run 1", for people and `file`
    data     zstd frames, one for each block of lines; each line ends with a line feed
    index    behind each 128 frames of data a skippable frame that holds one zstd frame, of

        count u32 | offset of the first u64 | lengths u32… | lines u32… | xxh3 of the frames u64… | starts

    footer   a skippable frame: JSON, then its length u32, its xxh3 u64, and 8 bytes of magic

Everything is little-endian. The whole is a zstd file: `zstd -dc` gives the lines, with nothing else, to those
who have lost this description. The footer checks the index, the index checks the data: bytes that were
altered, cut or exchanged are noticed by whoever reads them.

A *start* is the beginning of a line up to its second space, key and timestamp, or all of a line with fewer
spaces. If one start is the beginning of another, it is a whole line. So starts sort as their lines do, unless
they are equal.
"""

import json
import struct
from dataclasses import dataclass
from itertools import accumulate

import zstandard
from xxhash import xxh3_64_intdigest

VERSION = 1
LEVEL = 3
ENTRIES = 128  # blocks of data in a block of the index
MAGIC = b"armrun1\n"
_SKIPPABLE = 0x184D2A5A  # RFC 8878, 3.1.2: any number from 0x184D2A50 to 0x184D2A5F
_FRAME = struct.Struct("<II")
_INDEX = struct.Struct("<IQ")
_TAIL = struct.Struct("<IQ8s")
FRAME_BYTES, TAIL_BYTES = _FRAME.size, _TAIL.size
FOOTER_GUESS = 64 * 1024  # bytes read at opening: most footers are shorter


class Unreadable(ValueError):  # noqa: N818  (caught by the reader, which knows the run's name)
    """These bytes are not what they should be."""


def start_of(line: bytes) -> bytes:
    first = line.find(b" ")
    second = line.find(b" ", first + 1) if first >= 0 else -1
    return line[: second + 1] if second >= 0 else line


def skippable(content: bytes) -> bytes:
    return _FRAME.pack(_SKIPPABLE, len(content)) + content


def content_of(frame: bytes) -> bytes:
    magic, length = _FRAME.unpack_from(frame)
    if magic != _SKIPPABLE or length != len(frame) - FRAME_BYTES:
        raise Unreadable("a frame of the index is not one")
    return frame[FRAME_BYTES:]


HEAD = skippable(b"armarium run 1: lines of CDXJ in zstd frames\n")


@dataclass(frozen=True, slots=True)
class Block:
    """Where a block of lines lies, and how it must look."""

    start: bytes
    offset: int
    length: int
    lines: int
    checksum: int


@dataclass(frozen=True, slots=True)
class IndexBlock:
    """Up to 128 blocks of lines that lie one behind the other."""

    starts: list[bytes]
    offsets: list[int]
    lengths: tuple[int, ...]
    lines: tuple[int, ...]
    checksums: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.starts)

    def block(self, number: int) -> Block:
        return Block(
            self.starts[number],
            self.offsets[number],
            self.lengths[number],
            self.lines[number],
            self.checksums[number],
        )


def pack_index(blocks: list[Block]) -> bytes:
    count = len(blocks)
    numbers = struct.pack(
        f"<{count}I{count}I{count}Q",
        *(block.length for block in blocks),
        *(block.lines for block in blocks),
        *(block.checksum for block in blocks),
    )
    starts = b"\n".join(block.start for block in blocks)
    return _INDEX.pack(count, blocks[0].offset) + numbers + starts


def unpack_index(content: bytes) -> IndexBlock:
    try:
        count, offset = _INDEX.unpack_from(content)
        numbers = struct.unpack_from(f"<{count}I{count}I{count}Q", content, _INDEX.size)
    except struct.error as error:
        raise Unreadable("a block of the index is too short") from error
    starts = content[_INDEX.size + 16 * count :].split(b"\n")
    if not count or len(starts) != count:
        raise Unreadable("a block of the index has not as many keys as it says")
    lengths = numbers[:count]
    offsets = list(accumulate(lengths[:-1], initial=offset))
    return IndexBlock(starts, offsets, lengths, numbers[count : 2 * count], numbers[2 * count :])


@dataclass(frozen=True)
class Footer:
    """What is read of a run when it is opened."""

    lines: int
    blocks: int
    last: bytes  # start of the last line
    index: tuple[Block, ...]  # the blocks of the index; `lines` of them counts blocks of data
    checksum: int = 0  # of the footer itself, and so of all that it checks

    @property
    def first(self) -> bytes:
        return self.index[0].start if self.index else b""

    def pack(self) -> bytes:
        """The frame. Keys are bytes of any kind, so each is written as the character of its number."""
        document = {
            "version": VERSION,
            "lines": self.lines,
            "blocks": self.blocks,
            "last": self.last.decode("latin-1"),
            "index": [
                [part.start.decode("latin-1"), part.offset, part.length, part.lines, part.checksum]
                for part in self.index
            ],
        }
        text = json.dumps(document, separators=(",", ":")).encode("ascii")
        return skippable(text + _TAIL.pack(len(text), xxh3_64_intdigest(text), MAGIC))


def footer_bytes(tail: bytes, size: int) -> int:
    """How long the footer is of a run of `size` bytes, of which these are the last."""
    if len(tail) < TAIL_BYTES:
        raise Unreadable("it is too short to be a run")
    length, _, magic = _TAIL.unpack(tail[-TAIL_BYTES:])
    if magic != MAGIC:
        raise Unreadable("it does not end as a run of version 1 does, so its end is cut off or altered")
    needed = int(length) + TAIL_BYTES + FRAME_BYTES
    if needed > size:
        raise Unreadable("its footer is longer than all of it")
    return needed


def unpack_footer(frame: bytes, size: int) -> Footer:
    """The footer of a run of `size` bytes."""
    content = content_of(frame)
    text = content[:-TAIL_BYTES]
    _, checksum, _ = _TAIL.unpack(content[-TAIL_BYTES:])
    if xxh3_64_intdigest(text) != checksum:
        raise Unreadable("its footer was altered")
    document = json.loads(text)
    if document["version"] != VERSION:
        raise Unreadable(f"it is of version {document['version']}, which is not known here")
    index = tuple(
        Block(start.encode("latin-1"), offset, length, blocks, check)
        for start, offset, length, blocks, check in document["index"]
    )
    end = index[-1].offset + index[-1].length if index else len(HEAD)
    if end + len(frame) != size:
        raise Unreadable(f"it has {size} bytes where its footer speaks of {end + len(frame)}")
    return Footer(document["lines"], document["blocks"], document["last"].encode("latin-1"), index, checksum)


def compressor() -> zstandard.ZstdCompressor:
    """One for each thread. The parameters are part of the format: the same lines make the same bytes."""
    return zstandard.ZstdCompressor(level=LEVEL, write_checksum=True, write_content_size=True)
