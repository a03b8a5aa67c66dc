"""CDX: the lines that say where in which file a capture lies.

Comes in: lines of CDX, CDXJ, ZipNum and PATH files as bytes; records of a W/ARC from `formats.warc`.
Goes out: `CdxLine` values, or the line written again in any of the forms; for a line that cannot be read
a `BadLine` that says why.
It must never open a file, raise on a malformed line, or write a line that another tool would read
differently: a wrong line loses a capture as surely as a wrong byte.
"""

from armarium.formats.cdx.columns import CDX7, CDX9, CDX10, CDX11, CDX12, CDX13, CDX14, Layout
from armarium.formats.cdx.line import BadLine, CdxLine, Directive, Fault
from armarium.formats.cdx.parsing import parse_line, parse_lines

__all__ = [
    "CDX7",
    "CDX9",
    "CDX10",
    "CDX11",
    "CDX12",
    "CDX13",
    "CDX14",
    "BadLine",
    "CdxLine",
    "Directive",
    "Fault",
    "Layout",
    "parse_line",
    "parse_lines",
]
