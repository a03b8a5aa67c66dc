"""PDF from plain words: the first line is the title; an empty line parts paragraphs (ISO 32000-1)."""

import textwrap
from collections.abc import Iterator, Sequence

_WIDTH, _HEIGHT, _MARGIN = 595, 842, 72  # A4, in points
_LINE, _SIZE, _COLUMNS = 16, 11, 78
_LINES = (_HEIGHT - 2 * _MARGIN) // _LINE


def pdf(words: str) -> bytes:
    title, _, rest = words.strip().partition("\n")
    sheets = [*_sheets(_lines(rest))]
    kids = " ".join(f"{5 + 2 * number} 0 R" for number in range(len(sheets)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(sheets)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman /Encoding /WinAnsiEncoding >>",
        f"<< /Title ({_text(title)}) /Producer (The small web of Armarium) >>",
    ]
    for number, sheet in enumerate(sheets):
        objects += _sheet_objects(6 + 2 * number, sheet, title if number == 0 else "")
    return _file(objects)


def _lines(words: str) -> Iterator[str]:
    for paragraph in words.strip().split("\n"):
        yield from textwrap.wrap(paragraph, _COLUMNS) or [""]


def _sheets(lines: Iterator[str]) -> Iterator[list[str]]:
    waiting = [*lines]
    first = _LINES - 4  # the title takes room
    yield waiting[:first]
    for start in range(first, len(waiting), _LINES):
        yield waiting[start : start + _LINES]


def _sheet_objects(content: int, lines: Sequence[str], title: str) -> list[str]:
    top = _HEIGHT - _MARGIN
    head = f"/F1 20 Tf {_MARGIN} {top} Td ({_text(title)}) Tj 0 {-3 * _LINE} Td " if title else ""
    start = head or f"{_MARGIN} {top} Td "
    shown = " ".join(f"({_text(line)}) Tj T*" for line in lines)
    stream = f"BT {start}/F1 {_SIZE} Tf {_LINE} TL {shown} ET"
    page = (
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {_WIDTH} {_HEIGHT}]"
        f" /Resources << /Font << /F1 3 0 R >> >> /Contents {content} 0 R >>"
    )
    return [page, f"<< /Length {len(stream.encode('cp1252'))} >>\nstream\n{stream}\nendstream"]


def _text(words: str) -> str:
    return words.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def _file(objects: Sequence[str]) -> bytes:
    written = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(written))
        written += f"{number} 0 obj\n{content}\nendobj\n".encode("cp1252")
    start = len(written)
    written += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    written += b"".join(b"%010d 00000 n \n" % place for place in places)
    written += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info 4 0 R >>\n".encode()
    return bytes(written + f"startxref\n{start}\n%%EOF\n".encode())
