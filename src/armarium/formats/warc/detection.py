"""What a file is, by its first bytes: names lie."""

import enum
from collections.abc import Callable
from typing import TYPE_CHECKING

from armarium.core.late import late
from armarium.formats.source import Source
from armarium.formats.warc.cursor import Coding, Plain
from armarium.formats.zstd.header import MAGIC as ZSTD_MAGIC
from armarium.formats.zstd.header import SKIPPABLE

if TYPE_CHECKING:
    from armarium.formats.gzip.members import Members
    from armarium.formats.zstd.frames import Frames
else:  # who writes files need not read any
    Members = late("armarium.formats.gzip.members:Members")
    Frames = late("armarium.formats.zstd.frames:Frames")

GZIP_MAGIC = b"\x1f\x8b"
# Compressions in which W/ARC files are met although no standard knows them.
FOREIGN = {
    b"BZh": "bzip2",
    b"\xfd7zXZ\0": "xz",
    b"\x04\x22\x4d\x18": "LZ4",
    b"PK\x03\x04": "zip",
    b"\x1f\x9d": "compress",
}


class Compression(enum.StrEnum):
    """How the records of a file are compressed."""

    NONE = "none"
    GZIP = "gzip"
    ZSTD = "zstd"


def detect(source: Source, starts_record: Callable[[bytes], bool]) -> tuple[Compression, Coding]:
    """The compression of a file, and its segments."""
    beginning = source.peek(8)
    if beginning.startswith(GZIP_MAGIC):
        return Compression.GZIP, Members(source, starts_record)
    if beginning.startswith(ZSTD_MAGIC) or beginning[:4] in SKIPPABLE:
        return Compression.ZSTD, Frames(source, starts_record)
    return Compression.NONE, Plain(source)


def foreign_compression(beginning: bytes) -> str | None:
    """The name of a compression that W/ARC files must not have."""
    return next((name for magic, name in FOREIGN.items() if beginning.startswith(magic)), None)
