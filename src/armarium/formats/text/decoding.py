"""Bytes of a text resource to text: whichever encoding, and never an exception."""

import codecs
import enum
import re
import zlib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from turbohtml.detect import Detection, detect

from armarium.formats.text.labels import ENCODINGS, encoding_of
from armarium.formats.text.prescan import declared_in_html, declared_in_xml


class Basis(enum.StrEnum):
    """From what an encoding is known; in the order in which it is asked."""

    BOM = "bom"  # byte order mark
    HTTP = "http"  # charset of the Content-Type field
    DECLARED = "declared"  # inside the text: meta element, XML declaration, @charset
    VALID = "valid"  # nothing was declared, and it is valid UTF-8
    DETECTED = "detected"  # by the frequencies of its bytes
    DEFAULT = "default"  # nothing to go by


class Kind(enum.StrEnum):
    """Which declarations inside a text count."""

    HTML = "html"
    XML = "xml"
    CSS = "css"
    PLAIN = "plain"


class Text(NamedTuple):
    """A text with what is known about its bytes."""

    text: str
    encoding: str  # WHATWG name in lower case, or utf-32be/utf-32le
    basis: Basis
    replacements: int = 0  # places that are not valid in this encoding, each now U+FFFD


# HTML Standard, "BOM sniffing", before it what XML 1.0, appendix F adds: browsers do not read UTF-32, feeds
# use it.
_XML_MARKS = (
    (b"\x00\x00\xfe\xff", "utf-32be"),
    (b"\xff\xfe\x00\x00", "utf-32le"),
    (b"\x00\x00\x00<", "utf-32be"),
    (b"<\x00\x00\x00", "utf-32le"),
)
_XML_WITHOUT_MARK = ((b"\x00<\x00?", "utf-16be"), (b"<\x00?\x00", "utf-16le"))
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))
_DEFAULT = "windows-1252"
# Detection reads this much from a little before the first byte that is not ASCII; more is slower, not better.
_DETECTION_BYTES = 16_384
_BEFORE = 512
_NOT_ASCII = re.compile(rb"[\x80-\xff]")
# CSS Syntax, 3.2: the at-rule must stand so, byte for byte.
_CSS_CHARSET = re.compile(rb'@charset "([^"\x00-\x1f]{1,64})";')
_TLD = re.compile(r"[a-z0-9-]{2,63}")


def decode(
    data: bytes, *, declared_charset: str | None = None, kind: Kind = Kind.HTML, tld: str | None = None
) -> Text:
    """Decode a text: by its byte order mark, its HTTP charset, its declaration, or its bytes, in this order.

    ``tld`` is the top-level domain it came from; a guess may take it into account, as browsers do.
    """
    encoding, basis, mark = _known(data, declared_charset, kind)
    if encoding is None:
        encoding, basis = _guessed(data, tld)
    return decode_as(data[mark:], encoding, basis)


def decode_as(data: bytes, encoding: str, basis: Basis = Basis.HTTP) -> Text:
    """Decode in a given encoding; what is invalid there becomes U+FFFD and is counted."""
    codec = "utf-8" if encoding == "utf-8" else _codec(encoding)
    text = data.decode(codec, "replace")
    count = text.count("\ufffd")
    if count:
        count -= _genuine_replacements(data, encoding, count)
    return Text(text, encoding, basis, count)


def encoding_for(
    data: bytes, *, declared_charset: str | None = None, kind: Kind = Kind.HTML, tld: str | None = None
) -> tuple[str, Basis]:
    """The encoding that ``decode`` would use, from the beginning of a text."""
    encoding, basis, _ = _known(data, declared_charset, kind)
    return (encoding, basis) if encoding is not None else _guessed(data, tld)


def _known(data: bytes, declared_charset: str | None, kind: Kind) -> tuple[str | None, Basis, int]:
    """The encoding that is told, by what, and the length of a byte order mark."""
    for mark, encoding in (_XML_MARKS if kind is Kind.XML else ()) + _MARKS:
        if data.startswith(mark):
            return encoding, Basis.BOM, 0 if b"<" in mark else len(mark)
    if declared_charset and (told := encoding_of(declared_charset)):
        return told, Basis.HTTP, 0
    return _declared(data, kind), Basis.DECLARED, 0


def _declared(data: bytes, kind: Kind) -> str | None:
    if kind is Kind.HTML:
        return declared_in_html(data)
    if kind is Kind.XML:
        for beginning, encoding in _XML_WITHOUT_MARK:
            if data.startswith(beginning):
                return encoding
        return declared_in_xml(data)
    found = _CSS_CHARSET.match(data) if kind is Kind.CSS else None
    told = encoding_of(found[1].decode("latin-1")) if found else None
    return "utf-8" if told in ("utf-16be", "utf-16le") else told


def _guessed(data: bytes, tld: str | None) -> tuple[str, Basis]:
    if _valid_utf8(data):
        return ("utf-8", Basis.VALID) if not data.isascii() else (_ascii_encoding(data), Basis.DEFAULT)
    first = _NOT_ASCII.search(data)
    begin = max(0, first.start() - _BEFORE) if first else 0
    sample = data[begin : begin + _DETECTION_BYTES]
    hint = tld if tld is not None and _TLD.fullmatch(tld) else None
    # turbohtml would look at declarations again and find none that count; then it weighs the bytes.
    match = detect(sample, Detection(tld=hint))
    name = (match.encoding or "").lower()
    if match.confidence <= 0 or name not in ENCODINGS:
        return _DEFAULT, Basis.DEFAULT
    return name, Basis.DETECTED


def _ascii_encoding(data: bytes) -> str:
    # ISO-2022-JP is ASCII bytes only, told by its escapes.
    return "iso-2022-jp" if b"\x1b$" in data or b"\x1b(J" in data else _DEFAULT


def _valid_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as failure:
        # A text cut inside its last character is still UTF-8.
        return failure.start >= len(data) - 3 and failure.reason == "unexpected end of data"
    return True


def _codec(encoding: str) -> str:
    return encoding if encoding.startswith("utf-32") else f"whatwg-{encoding}"


def _genuine_replacements(data: bytes, encoding: str, count: int) -> int:
    """How many U+FFFD stood in the text already, written as such."""
    if encoding == "utf-8":
        return data.count(b"\xef\xbf\xbd")
    if encoding == "gb18030" or encoding == "gbk":
        return data.count(b"\x84\x31\xa4\x37")
    if encoding.startswith("utf-"):
        try:
            data.decode(encoding)
        except UnicodeDecodeError:
            return 0
        return count
    return 0


# --- From pieces of bytes to pieces of text: gzip undone, the encoding found, little kept.


_GZIP = b"\x1f\x8b"
_HEAD = 65_536
_PIECE = 262_144
_STEP = 16_384  # so much is tried at once, and again byte by byte where it is damaged


class TextStream:
    """Text of an XML or plain document that comes in pieces. After the first piece, ``encoding`` is known."""

    def __init__(self, *, declared_charset: str | None = None, kind: Kind = Kind.XML, limit: int) -> None:
        self.encoding = "utf-8"
        self.basis = Basis.DEFAULT
        self.cut = False  # there was more than the limit
        self.damaged = False  # the compression broke off or is not valid
        self._charset = declared_charset
        self._kind = kind
        self._limit = limit

    def read(self, pieces: Iterable[bytes]) -> Iterator[str]:
        """The text. Whatever is wrong with the bytes, what can be read of them is."""
        plain = self._limited(self._inflated(iter(pieces)))
        head = b""
        for piece in plain:
            head += piece
            if len(head) >= _HEAD:
                break
        self.encoding, self.basis = self._find_encoding(head)
        yield from self._decoded(head, plain)

    def _find_encoding(self, head: bytes) -> tuple[str, Basis]:
        encoding, basis = encoding_for(head, declared_charset=self._charset, kind=self._kind)
        if encoding == "utf-8" and basis is not Basis.BOM:
            # Declared or not, it is UTF-8 only if it is: many templates declare it above other bytes.
            guess = encoding_for(head, kind=Kind.PLAIN)
            return guess if guess[1] is Basis.DETECTED else (encoding, basis)
        if basis is Basis.DEFAULT and head.isascii():
            return "utf-8", basis  # what follows may tell; XML without a declaration is UTF-8
        return encoding, basis

    def _decoded(self, head: bytes, rest: Iterator[bytes]) -> Iterator[str]:
        if self.encoding == "utf-8":
            decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
            yield decoder.decode(head)
            for piece in rest:
                yield decoder.decode(piece)
            yield decoder.decode(b"", True)
            return
        # The other decoders want the whole; the limit bounds it.
        whole = head + b"".join(rest)
        yield decode_as(whole, self.encoding).text.removeprefix("\ufeff")

    def _limited(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        left = self._limit
        for piece in pieces:
            if len(piece) > left:
                self.cut = True
                yield piece[:left]
                return
            left -= len(piece)
            yield piece

    def _inflated(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """Undo gzip, however often a server has applied it (twice happens), and in however many members."""
        first = b""
        for piece in pieces:
            first += piece
            if len(first) >= 2:
                break
        again = _chain(first, pieces)
        if not first.startswith(_GZIP):
            yield from again
            return
        inner = self._members(again)
        begin = next(inner, b"")
        if begin.startswith(_GZIP):
            yield from self._members(_chain(begin, inner))
        else:
            yield from _chain(begin, inner)

    def _members(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        inflate = zlib.decompressobj(31)
        begun = False
        for piece in pieces:
            for at in range(0, len(piece), _STEP):
                data = piece[at : at + _STEP]
                while data:
                    begun = True
                    before = inflate.copy()
                    try:
                        plain = inflate.decompress(data, _PIECE)
                    except zlib.error:
                        self.damaged = True
                        yield from _before_damage(before, data)
                        return
                    if plain:
                        yield plain
                    data = inflate.unconsumed_tail
                    if inflate.eof:
                        data = inflate.unused_data.lstrip(b"\0")  # tapes and old tools pad with zeros
                        inflate, begun = zlib.decompressobj(31), False
        self.damaged = begun


def _before_damage(inflate: "zlib._Decompress", data: bytes) -> Iterator[bytes]:
    """What comes out until the very byte at which the data are no longer valid."""
    for byte in data:
        try:
            yield inflate.decompress(bytes((byte,)))
        except zlib.error:
            return


def _chain(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    if first:
        yield first
    yield from rest
