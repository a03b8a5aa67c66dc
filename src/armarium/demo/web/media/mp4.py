"""The MP4 container around frames of H.264 (ISO/IEC 14496-12 and -15)."""

from collections.abc import Sequence

_UNITY = b"".join(value.to_bytes(4, "big") for value in (0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000))


def mp4(sets: tuple[bytes, bytes], frames: Sequence[bytes], width: int, height: int, rate: int) -> bytes:
    """`rate`: frames a second. The index comes first, so that it plays while it is loaded."""
    samples = [_number(len(frame)) + frame for frame in frames]
    opening = _box(b"ftyp", b"isom" + _number(512) + b"isomiso2avc1mp41")
    size = len(_film(sets, samples, width, height, rate, 0))
    film = _film(sets, samples, width, height, rate, len(opening) + size + 8)
    return opening + film + _box(b"mdat", b"".join(samples))


def _film(
    sets: tuple[bytes, bytes], samples: Sequence[bytes], width: int, height: int, rate: int, start: int
) -> bytes:
    length = len(samples)
    head = _full(
        b"mvhd",
        _number(0, 0, rate, length) + _number(0x10000, 0x1000000, 0, 0) + _UNITY + bytes(24) + _number(2),
    )
    track = _full(
        b"tkhd",
        _number(0, 0, 1, 0, length, 0, 0, 0, 0) + _UNITY + _number(width << 16, height << 16),
        flags=3,
    )
    media = _box(
        b"mdia",
        _full(b"mdhd", _number(0, 0, rate, length) + b"\x55\xc4\0\0"),
        _full(b"hdlr", _number(0) + b"vide" + bytes(12) + b"Film\0"),
        _box(
            b"minf",
            _full(b"vmhd", bytes(8), flags=1),
            _box(b"dinf", _full(b"dref", _number(1) + _full(b"url ", b"", flags=1))),
            _table(sets, samples, width, height, start),
        ),
    )
    return _box(b"moov", head, _box(b"trak", track, media))


def _table(sets: tuple[bytes, bytes], samples: Sequence[bytes], width: int, height: int, start: int) -> bytes:
    """Where each frame lies, and what a decoder must know before the first."""
    size = width.to_bytes(2, "big") + height.to_bytes(2, "big")
    entry = bytes(6) + b"\0\1" + bytes(16) + size + _number(0x480000, 0x480000, 0) + b"\0\1" + bytes(32)
    entry += b"\0\x18\xff\xff" + _box(b"avcC", _decoder(sets))
    return _box(
        b"stbl",
        _full(b"stsd", _number(1) + _box(b"avc1", entry)),
        _full(b"stts", _number(1, len(samples), 1)),
        _full(b"stss", _number(1, 1)),
        _full(b"stsc", _number(1, 1, len(samples), 1)),
        _full(b"stsz", _number(0, len(samples), *map(len, samples))),
        _full(b"stco", _number(1, start)),
    )


def _decoder(sets: tuple[bytes, bytes]) -> bytes:
    sequence, picture = sets
    return (
        b"\1" + sequence[1:4] + b"\xff\xe1" + len(sequence).to_bytes(2, "big") + sequence
        + b"\1" + len(picture).to_bytes(2, "big") + picture
    )  # fmt: skip


def _number(*values: int) -> bytes:
    return b"".join(value.to_bytes(4, "big") for value in values)


def _box(kind: bytes, *parts: bytes) -> bytes:
    data = b"".join(parts)
    return _number(len(data) + 8) + kind + data


def _full(kind: bytes, data: bytes, flags: int = 0) -> bytes:
    return _box(kind, _number(flags) + data)
