"""Sorted lines of our runs in the forms of others, sorted as well."""

import hashlib
import os
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby, islice
from pathlib import Path
from typing import BinaryIO

from armarium.formats.cdx import CDX9, CDX11, Layout
from armarium.formats.cdx.line import ENCODING, ERRORS
from armarium.formats.cdx.parsing import BlockLine, PathLine, capture_in
from armarium.index.runs.layout import start_of


class Form(StrEnum):
    CDXJ = "cdxj"
    CDX11 = "cdx11"
    CDX9 = "cdx9"


_LAYOUTS = {Form.CDX11: CDX11, Form.CDX9: CDX9}


def export_text(lines: Iterable[bytes], form: Form, target: BinaryIO) -> int:
    """Write lines, which must be in order, with the legend that columns need; how many were written."""
    layout = _LAYOUTS.get(form)
    if layout is not None:
        target.write(layout.legend().encode() + b"\n")
    count = 0
    for line in in_form(lines, form):
        target.write(line + b"\n")
        count += 1
    return count


def in_form(lines: Iterable[bytes], form: Form) -> Iterator[bytes]:
    layout = _LAYOUTS.get(form)
    return iter(lines) if layout is None else _columns(lines, layout)


def _columns(lines: Iterable[bytes], layout: Layout) -> Iterator[bytes]:
    """In the order of bytes again: what follows key and timestamp may sort otherwise in columns."""
    for _, group in groupby(lines, key=start_of):
        captures = filter(None, map(capture_in, group))
        yield from sorted({capture.to_cdx(layout) for capture in captures})


# ZipNum: lines in gzip members of some thousand, and a small index of their first lines.
#
# `<name>.cdx.gz` holds the members, `<name>.idx` says where each lies, `<name>.loc` says where the part is.
# For WACZ the index is spelt as JSON, with digests, and needs no `.loc`.


LINES = 3000  # in a member, as custom has it
_WACZ_META = b'!meta 0 {"format": "cdxj-gzip-1.0", "filename": "%s"}\n'


@dataclass(frozen=True)
class ZipNumFacts:
    lines: int
    blocks: int
    files: tuple[Path, ...]


def export_zipnum(
    lines: Iterable[bytes],
    folder: Path,
    name: str,
    *,
    form: Form = Form.CDXJ,
    lines_in_block: int = LINES,
    wacz: bool = False,
) -> ZipNumFacts:
    """Write a cluster of one part into a folder. The lines must be in order."""
    data, index, places = (folder / f"{name}{end}" for end in (".cdx.gz", ".idx", ".loc"))
    count = blocks = 0
    with data.open("wb") as members, index.open("wb") as entries:
        if wacz:
            entries.write(_WACZ_META % data.name.encode())
        for entry, some in _members(in_form(lines, form), members, name, lines_in_block):
            entries.write((entry.to_wacz() if wacz else entry.to_zipnum()) + b"\n")
            count += some
            blocks += 1
        for file in (members, entries):
            file.flush()
            os.fsync(file.fileno())
    if wacz:
        return ZipNumFacts(count, blocks, (data, index))
    places.write_bytes(PathLine(name, (data.name,)).to_bytes() + b"\n")
    return ZipNumFacts(count, blocks, (data, index, places))


def _members(
    lines: Iterator[bytes], target: BinaryIO, part: str, lines_in_block: int
) -> Iterator[tuple[BlockLine, int]]:
    offset = number = 0
    while some := list(islice(lines, lines_in_block)):
        number += 1
        member = zlib.compress(b"\n".join(some) + b"\n", wbits=31)
        target.write(member)
        start = start_of(some[0]).decode(ENCODING, ERRORS).rstrip(" ")
        digest = f"sha256:{hashlib.sha256(member).hexdigest()}"
        yield BlockLine(start, offset, len(member), part, number, digest), len(some)
        offset += len(member)
