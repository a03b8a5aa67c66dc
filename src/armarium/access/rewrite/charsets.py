"""Charsets in which a `<` may be something else, and so cannot be searched byte by byte.

All others (UTF-8, the ISO and Windows ones, Shift_JIS, GBK, Big5, EUC…) leave the characters of markup alone:
there every byte is taken for one character, and what is not touched comes out as it was.
"""

import codecs

from armarium.access.rewrite.stream import Rewriter
from armarium.formats.text import declared_in_html, encoding_of

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
