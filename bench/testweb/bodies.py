"""Bodies that do not depend on a site: images, PDFs, scripts, files that many sites have."""

import base64
import struct
import zlib
from random import Random

from bench.testweb.words import Words, between, lognormal, pick

JPEG = base64.b64decode(  # a valid grey image of 8 x 8, padded with comments
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9V"
    "XVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqmx5moq6T/wAALCAAIAAgBAREA/8QAFAABAAAAAAAA"
    "AAAAAAAAAAAAAP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AP//Z"
)
WIDTH = 256  # of a PNG
LARGEST_COMMENT = 65_000
KINDS: tuple[tuple[str, str, bytes | None], ...] = (
    ("zip", "application/zip", b"PK\x03\x04"),
    ("mp4", "video/mp4", b"\0\0\0\x18ftypmp42"),
    ("pdf", "application/pdf", None),
    ("exe", "application/octet-stream", b"MZ"),
)


def jpeg(chance: Random, size: int) -> bytes:
    padding = []
    while size > 0:
        length = min(size, LARGEST_COMMENT)
        padding.append(b"\xff\xfe" + struct.pack(">H", length + 2) + chance.randbytes(length))
        size -= length
    return JPEG[:2] + b"".join(padding) + JPEG[2:]


def png(chance: Random, size: int) -> bytes:
    """Grey noise, not compressed: about so many bytes."""
    rows = max(1, size // (WIDTH + 1))
    raw = b"".join(b"\0" + chance.randbytes(WIDTH) for _ in range(rows))
    head = struct.pack(">IIBBBBB", WIDTH, rows, 8, 0, 0, 0, 0)
    parts = (_chunk(b"IHDR", head), _chunk(b"IDAT", zlib.compress(raw, 0)), _chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def _chunk(tag: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + tag + body + struct.pack(">I", zlib.crc32(tag + body))


def pdf(chance: Random, words: Words, token: str) -> bytes:
    lines = [f"{words.title(chance)} {token}"]
    lines += [pick(chance, words.sentences)[:90] for _ in range(between(chance, 20, 60))]
    text = "".join(f"({line.encode('ascii', 'ignore').decode()}) Tj T*\n" for line in lines)
    stream = f"BT /F1 10 Tf 40 800 Td 12 TL\n{text}ET".encode()
    extra = chance.randbytes(lognormal(chance, 40_000, 1.0, 2000, 600_000))  # a stream that nothing uses
    objects = (
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(extra), extra),
    )
    written, offsets = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, 1):
        offsets.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table, count = len(written), len(objects) + 1
    written += b"xref\n0 %d\n0000000000 65535 f \n" % count
    written += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return written + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (count, table)


def shared_file(chance: Random, words: Words, number: int) -> tuple[str, str, bytes]:
    """Path, type and content of a file that many sites have."""
    size = lognormal(chance, 60_000, 1.2, 2000, 2_000_000)
    extension, mime, magic = KINDS[number % len(KINDS)]
    body = magic + chance.randbytes(size) if magic else pdf(chance, words, f"zqshared{number}")
    return f"/files/shared-{number:02d}.{extension}", mime, body


def script(chance: Random, words: Words, size: int) -> str:
    """What looks and compresses like minified script."""
    written, length = [], 0
    while length < size:
        a, b, c = (pick(chance, words.rare) for _ in range(3))
        d = pick(chance, words.rare)
        forms = (
            f"function {a}{length}({b},{c}){{return {b}.{a}&&{c}({length},{b})||null}}",
            f'var {a}={{{b}:{length},{c}:"{d}",fn:function(e){{this.{b}+=e}}}};',
            f"if(window.{a}){{{a}.{b}(document.{c},!{length % 2})}}",
        )
        said = pick(chance, forms)
        written.append(said)
        length += len(said)
    return "\n".join(written)
