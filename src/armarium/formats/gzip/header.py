"""The header of a gzip member (RFC 1952 section 2.3)."""

import struct
import zlib
from dataclasses import dataclass

# +---+---+---+---+---+---+---+---+---+---+
# |ID1|ID2|CM |FLG|     MTIME     |XFL|OS | then, by flag: XLEN and extra field, name, comment, CRC16
# +---+---+---+---+---+---+---+---+---+---+
MAGIC = b"\x1f\x8b"
DEFLATE = 8
FTEXT, FHCRC, FEXTRA, FNAME, FCOMMENT, RESERVED = 1, 2, 4, 8, 16, 0xE0
FIXED = 10
MAX_TEXT = 64 * 1024  # names are zero-terminated and unbounded by the standard; ours are bounded


@dataclass(frozen=True, slots=True)
class Header:
    """The fields of a member's header as they stand there."""

    raw: bytes
    method: int
    flags: int
    mtime: int
    extra_flags: int
    system: int
    extra: bytes | None = None
    name: bytes | None = None  # without its terminating zero
    comment: bytes | None = None
    crc16: int | None = None  # as stored

    @property
    def crc16_matches(self) -> bool:
        """Whether the header's own checksum is right; true where there is none."""
        return self.crc16 is None or self.crc16 == zlib.crc32(self.raw[:-2]) & 0xFFFF

    def subfields(self) -> list[tuple[bytes, bytes]] | None:
        """The extra field's parts (`sl` is a skip length); None where they do not fill it exactly."""
        rest, found = self.extra or b"", []
        while len(rest) >= 4:
            size = int.from_bytes(rest[2:4], "little")
            if len(rest) < 4 + size:
                return None
            found.append((rest[:2], rest[4 : 4 + size]))
            rest = rest[4 + size :]
        return None if rest else found


def parse_header(data: bytes) -> Header | None:
    """The header at the start of `data`; None where more bytes are needed. Raises ValueError where it
    is none.
    """
    if data[:2] != MAGIC[: len(data)]:
        raise ValueError("not a gzip member")
    if len(data) < FIXED:
        return None
    _, method, flags, mtime, extra_flags, system = struct.unpack_from("<2sBBIBB", data)
    at, extra, crc16 = FIXED, None, None
    if flags & FEXTRA:
        if len(data) < at + 2:
            return None
        size = int.from_bytes(data[at : at + 2], "little")
        extra = data[at + 2 : at + 2 + size]
        at += 2 + size
    texts: list[bytes | None] = [None, None]
    for place, flag in enumerate((FNAME, FCOMMENT)):
        if flags & flag:
            end = data.find(b"\0", at)
            if max(end, len(data)) - at > MAX_TEXT and (end < 0 or end - at > MAX_TEXT):
                raise ValueError("a name or comment without end")
            if end < 0:
                return None
            texts[place], at = data[at:end], end + 1
    if flags & FHCRC:
        crc16 = int.from_bytes(data[at : at + 2], "little")
        at += 2
    if len(data) < at:
        return None
    return Header(data[:at], method, flags, mtime, extra_flags, system, extra, texts[0], texts[1], crc16)
