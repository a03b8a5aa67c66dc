"""Sorted lines of our runs in the forms of others, sorted as well."""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import groupby
from typing import BinaryIO

from armarium.formats.cdx import CDX9, CDX11, Layout
from armarium.formats.cdx.parsing import capture_in
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
