"""A TrueType font of letters drawn in squares, written from scratch (OpenType 1.9, ISO/IEC 14496-22)."""

import re
from pathlib import Path
from struct import pack

LETTERS = Path(__file__).with_name("letters.txt")
NAME = "Tidewrack"
_SQUARE, _WIDE = 100, 600  # of an em of 1000; each letter is five squares and a gap
_ASCENT, _DESCENT = 800, -200
_SPACE = " "

Contour = list[tuple[int, int]]


def ttf() -> bytes:
    drawn = {_SPACE: list[Contour](), **_drawn()}
    glyphs = [_glyph(contours) for contours in ([], *drawn.values())]  # the first is for what is missing
    tables = {
        b"OS/2": _metrics(min(map(ord, drawn)), max(map(ord, drawn))),
        b"cmap": _mapping(list(drawn)),
        b"glyf": b"".join(glyphs),
        b"head": _head(),
        b"hhea": pack(
            ">I3hH11hH", 0x10000, _ASCENT, _DESCENT, 0, _WIDE, *[0] * 2, 500, 1, *[0] * 7, len(glyphs)
        ),
        b"hmtx": pack(">HH", _WIDE, 0) * len(glyphs),
        b"loca": b"".join(pack(">I", sum(map(len, glyphs[:number]))) for number in range(len(glyphs) + 1)),
        b"maxp": pack(">IH13H", 0x10000, len(glyphs), 200, 40, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0),
        b"name": _names(),
        b"post": pack(">IIhhIIIII", 0x30000, 0, -100, 50, 1, 0, 0, 0, 0),
    }
    return _file(tables)


def _drawn() -> dict[str, list[Contour]]:
    """Each run of squares in a row is a contour."""
    found = {}
    for line in LETTERS.read_text("utf-8").splitlines():
        letter, *rows = line.split()
        found[letter] = [
            _box(run.start(), run.end(), 7 - number)
            for number, row in enumerate(rows)
            for run in re.finditer("#+", row)
        ]
    return found


def _box(start: int, end: int, top: int) -> Contour:
    left, right, high, low = start * _SQUARE, end * _SQUARE, top * _SQUARE, (top - 1) * _SQUARE
    return [(left, low), (left, high), (right, high), (right, low)]


def _glyph(contours: list[Contour]) -> bytes:
    if not contours:
        return b""
    points = [point for contour in contours for point in contour]
    across, up = [x for x, _ in points], [y for _, y in points]
    ends = [4 * (number + 1) - 1 for number in range(len(contours))]
    head = pack(">5h", len(contours), min(across), min(up), max(across), max(up))
    body = pack(f">{len(ends)}HH", *ends, 0) + b"\1" * len(points)  # all of them corners, as two bytes each
    steps = b"".join(_steps(values) for values in (across, up))
    written = head + body + steps
    return written + bytes(-len(written) % 4)


def _steps(values: list[int]) -> bytes:
    before = [0, *values[:-1]]
    return b"".join(pack(">h", value - old) for value, old in zip(values, before, strict=True))


def _head() -> bytes:
    fixed = pack(">IIIIHH", 0x10000, 0x10000, 0, 0x5F0F3CF5, 0b11, 1000)
    return fixed + pack(">qq4hHHhhh", 0, 0, 0, 0, 5 * _SQUARE, 7 * _SQUARE, 0, 8, 2, 1, 0)


def _metrics(first: int, last: int) -> bytes:
    """OS/2, version 4."""
    sizes = pack(">HhHHH10hh", 4, _WIDE, 400, 5, 0, 650, 600, 0, 75, 650, 600, 0, 350, 50, 250, 0)
    nature = bytes(10) + pack(">4I4s", 1, 0, 0, 0, b"ARMA")
    rest = pack(">HHHhhhHH", 0x40, first, last, _ASCENT, _DESCENT, 0, _ASCENT, -_DESCENT)
    return sizes + nature + rest + pack(">IIhhHHH", 1, 0, 500, 700, 0, 32, 1)


def _mapping(letters: list[str]) -> bytes:
    """Format 4, with a segment for each letter: there are few."""
    places = sorted((ord(letter), number) for number, letter in enumerate(letters, 1))
    codes = [*(code for code, _ in places), 0xFFFF]
    shifts = [*((number - code) % 65536 for code, number in places), 1]
    count = len(codes)
    power = 1 << (count.bit_length() - 1)
    search = pack(">4H", 2 * count, 2 * power, power.bit_length() - 1, 2 * (count - power))
    listed = pack(f">{count}H", *codes) + b"\0\0" + pack(f">{count}H", *codes)
    listed += pack(f">{count}H", *shifts) + bytes(2 * count)
    table = pack(">HHH", 4, 6 + len(search) + len(listed), 0) + search + listed
    return pack(">HHHHI", 0, 1, 3, 1, 12) + table


def _names() -> bytes:
    wanted = {1: NAME, 2: "Regular", 3: NAME, 4: NAME, 5: "Version 1.0", 6: NAME}
    records, text = b"", b""
    for number, words in wanted.items():
        written = words.encode("utf-16-be")
        records += pack(">6H", 3, 1, 0x409, number, len(written), len(text))
        text += written
    return pack(">HHH", 0, len(wanted), 6 + len(records)) + records + text


def _file(tables: dict[bytes, bytes]) -> bytes:
    count = len(tables)
    power = 1 << (count.bit_length() - 1)
    head = pack(">IHHHH", 0x10000, count, 16 * power, power.bit_length() - 1, 16 * (count - power))
    start = len(head) + 16 * count
    directory, body = b"", b""
    for name, data in sorted(tables.items()):
        directory += pack(">4sIII", name, _checksum(data), start + len(body), len(data))
        body += data + bytes(-len(data) % 4)
    written = bytearray(head + directory + body)
    place = written.index(b"head")
    where = int.from_bytes(written[place + 8 : place + 12], "big") + 8
    written[where : where + 4] = pack(">I", (0xB1B0AFBA - _checksum(bytes(written))) % (1 << 32))
    return bytes(written)


def _checksum(data: bytes) -> int:
    padded = data + bytes(-len(data) % 4)
    return sum(int.from_bytes(padded[at : at + 4], "big") for at in range(0, len(padded), 4)) % (1 << 32)
