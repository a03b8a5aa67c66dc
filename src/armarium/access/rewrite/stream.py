"""What every rewriter is: pieces of a body in, pieces of a body out, in whatever charset."""

import codecs
from collections.abc import Callable
from typing import Protocol

from armarium.formats.text import declared_in_html, encoding_of

# A body that must be seen as a whole is held up to this size; a longer one is passed on as it is.
LONGEST = 32 * 1024 * 1024


class Rewriter(Protocol):
    def feed(self, data: bytes) -> bytes: ...

    def close(self) -> bytes: ...


class Untouched:
    """Nothing to rewrite."""

    def feed(self, data: bytes) -> bytes:
        return data

    def close(self) -> bytes:
        return b""


class Whole:
    """A body that is rewritten in one go, when all of it is there.

    `rewrite` works on text in which each byte is one character (latin-1): what it does not touch comes out
    byte for byte, whatever the charset.
    """

    def __init__(self, rewrite: Callable[[str], str]) -> None:
        self._rewrite = rewrite
        self._pieces: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> bytes:
        if self._size > LONGEST:
            return data
        self._pieces.append(data)
        self._size += len(data)
        return self._taken() if self._size > LONGEST else b""

    def close(self) -> bytes:
        if self._size > LONGEST:
            return b""
        return self._rewrite(self._taken().decode("latin-1")).encode("latin-1", "replace")

    def _taken(self) -> bytes:
        data, self._pieces = b"".join(self._pieces), []
        return data


class Copy:
    """A text that is copied as it is, but for the places that are replaced."""

    __slots__ = ("_done", "_pieces", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._pieces: list[str] = []
        self._done = 0

    def replace(self, start: int, end: int, new: str) -> None:
        self._pieces += (self.text[self._done : start], new)
        self._done = end

    def up_to(self, end: int) -> str:
        if not self._pieces:
            return self.text[:end]
        return "".join(self._pieces) + self.text[self._done : end]


# Charsets in which a `<` may be something else, and so cannot be searched byte by byte.
# All others (UTF-8, the ISO and Windows ones, Shift_JIS, GBK, Big5, EUC…) leave the characters of markup
# alone: there every byte is taken for one character, and what is not touched comes out as it was.


_MARKS = ((b"\xfe\xff", "utf-16-be"), (b"\xff\xfe", "utf-16-le"))
_CODECS = {"utf-16be": "utf-16-be", "utf-16le": "utf-16-le", "iso-2022-jp": "iso2022_jp_ext"}


def recoding(kind: str, charset: str | None, beginning: bytes) -> str | None:
    """The codec from which a body must be brought to UTF-8 before it can be rewritten; None for nearly all.

    The answer to the reader then must say `charset=utf-8`.
    """
    if kind == "plain":
        return None
    if beginning.startswith(b"\xef\xbb\xbf"):
        return None
    for mark, codec in _MARKS:
        if beginning.startswith(mark):
            return codec
    known = encoding_of(charset) if charset else None
    if known is None and kind == "html":
        known = declared_in_html(beginning)
    return _CODECS.get(known or "")


class Recoded:
    """A rewriter that works on UTF-8, for a body that is something else."""

    def __init__(self, rewriter: Rewriter, codec: str) -> None:
        self._rewriter = rewriter
        self._decoder = codecs.getincrementaldecoder(codec)("replace")
        self._begun = False

    def feed(self, data: bytes) -> bytes:
        return self._rewriter.feed(self._in_utf8(self._decoder.decode(data)))

    def close(self) -> bytes:
        return self._rewriter.feed(self._in_utf8(self._decoder.decode(b"", True))) + self._rewriter.close()

    def _in_utf8(self, text: str) -> bytes:
        if text and not self._begun:
            self._begun = True
            text = text.removeprefix("\ufeff")
        return text.encode("utf-8", "replace")
