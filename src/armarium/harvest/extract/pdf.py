"""PDF: the addresses of its link annotations and actions.

Only what a link needs is read (ISO 32000-1, 12.6.4.7): `/URI (…)` in plain objects and in compressed object
streams. Neither the cross-reference table nor any object is trusted, so a damaged or hostile file costs one
pass over its bytes, and decompression stops at the limit.
"""

import re
import zlib
from collections.abc import Iterator

from armarium.harvest.extract.document import Document
from armarium.harvest.extract.findings import Findings
from armarium.harvest.model import Hop

# 7.3.4.2: in a literal string, parentheses that balance need no escape.
_uri = re.compile(
    rb"/URI\s*+(?:\(((?:[^()\\]++|\\.|\((?:[^()\\]++|\\.)*+\))*+)\)|<([0-9A-Fa-f\s]*+)>)", re.DOTALL
).finditer
_escape = re.compile(rb"\\(?:([0-7]{1,3})|(\r\n|[\r\n])|(.))", re.DOTALL).sub
_NAMED = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
_DICTIONARY = 1024  # bytes before a stream in which its dictionary is looked for
_LONGEST = 4096
_MAX_STREAMS = 10_000
_LEAST_ROOM = 16 * 1024 * 1024  # bytes unpacked: lists of links pack well, up to twentyfold


class PdfExtractor:
    """Links of a PDF, up to the limit."""

    name = "pdf"

    def takes(self, document: Document) -> bool:
        if document.mime == "application/pdf" or document.mime == "application/x-pdf":
            return True
        return document.vague and document.body.startswith(b"%PDF-")

    def read(self, document: Document, findings: Findings) -> None:
        body = document.body[: document.options.max_pdf_bytes]
        encrypted = b"/Encrypt" in body  # its strings are, too
        if not (encrypted or _read(body, findings)) or len(document.body) > len(body):
            findings.annotations.append("pdfTrunc")


def _read(body: bytes, findings: Findings) -> bool:
    """The addresses in the plain part of a file, then those in its object streams; False: not in all."""
    for uri in _uris(body):
        findings.add(uri, Hop.LINK, "pdf/uri")
    room = max(len(body) * 4, _LEAST_ROOM)
    for number, stream in enumerate(_object_streams(body)):
        unpacking = zlib.decompressobj()
        try:
            plain = unpacking.decompress(stream, max(1, room))
        except zlib.error:
            continue
        room -= len(plain)
        for uri in _uris(plain):
            findings.add(uri, Hop.LINK, "pdf/uri")
        if unpacking.unconsumed_tail or number == _MAX_STREAMS:
            return False
    return True


def _object_streams(body: bytes) -> Iterator[bytes]:
    end = 0
    while True:
        kind = body.find(b"/ObjStm", end)
        begin = body.find(b"stream", kind) if kind >= 0 else -1
        end = body.find(b"endstream", begin + 6) if begin >= 0 else -1
        if end < 0:
            return
        if begin - kind <= _DICTIONARY:
            begin += 8 if body[begin + 6 : begin + 8] == b"\r\n" else 7
            yield body[begin:end]


def _uris(data: bytes) -> Iterator[str]:
    for found in _uri(data):
        if found[1] is not None:
            if len(found[1]) <= _LONGEST:
                yield _address(_escape(_byte, found[1]) if b"\\" in found[1] else found[1])
        elif found[2] and len(found[2]) <= _LONGEST:
            digits = b"".join(found[2].split())
            yield _address(bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode("ascii")))


def _byte(found: re.Match[bytes]) -> bytes:
    if found[1]:
        return bytes((int(found[1], 8) & 0xFF,))
    return b"" if found[2] else _NAMED.get(found[3], found[3])


def _address(raw: bytes) -> str:
    if raw.startswith(b"\xfe\xff"):
        text = raw[2:].decode("utf-16-be", "replace")
    else:
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            text = raw.decode("latin-1")
    # What people type into their word processor; viewers understand it so.
    return f"http://{text}" if text.lower().startswith("www.") else text
