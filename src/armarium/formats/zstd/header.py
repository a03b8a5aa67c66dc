"""The header of a zstd frame (RFC 8878 section 3.1.1.1)."""

from dataclasses import dataclass

MAGIC = b"\x28\xb5\x2f\xfd"
SKIPPABLE = frozenset(bytes((0x50 + low,)) + b"\x2a\x4d\x18" for low in range(16))
LONGEST = 18  # bytes that a header can have

_DICTIONARY_ID_SIZES = (0, 1, 2, 4)
_CONTENT_SIZE_SIZES = (0, 2, 4, 8)


@dataclass(frozen=True, slots=True)
class Header:
    """What a frame says of itself."""

    size: int  # bytes of the header, magic number included
    content_size: int | None
    has_checksum: bool


def parse_header(data: bytes) -> Header | None:
    """The header at the start of `data`; None where more bytes are needed. Raises ValueError where it
    is none.
    """
    if data[:4] != MAGIC[: len(data)]:
        raise ValueError("not a zstd frame")
    if len(data) < 6:
        return None
    descriptor = data[4]
    if descriptor & 0x08:
        raise ValueError("a reserved bit is set")
    single_segment = descriptor & 0x20
    dictionary_size = _DICTIONARY_ID_SIZES[descriptor & 3]
    content_flag = descriptor >> 6
    content_size = 1 if single_segment and not content_flag else _CONTENT_SIZE_SIZES[content_flag]
    at = 5 if single_segment else 6  # a window descriptor stands between
    end = at + dictionary_size + content_size
    if len(data) < end:
        return None
    content = int.from_bytes(data[at + dictionary_size : end], "little") + (256 if content_size == 2 else 0)
    return Header(end, content if content_size else None, bool(descriptor & 4))
