"""From pieces of bytes to pieces of text: gzip undone, the encoding found, little kept."""

import codecs
import zlib
from collections.abc import Iterable, Iterator

from armarium.formats.text.decoding import Basis, Kind, decode_as, encoding_for

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
