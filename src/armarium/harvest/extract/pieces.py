"""Pages by their pieces: what stood on an earlier page is not read again.

The pages of a site share most of their tags, scripts and forms. A page is cut into pieces at the speed of one
regular expression over its bytes; what a piece refers to is remembered by its bytes.

That gives what the tokenizer gives on the whole page, because a piece only counts if the tokenizer itself,
beginning outside of any markup, reads it to its last byte and is then outside of any markup again. Between
the pieces there is text, and end tags that hold no quote, so the tokenizer is where each piece begins in the
state in which it was asked. A page with anything else is `refused`, and has to be read as a whole.
"""

import re
from sys import getsizeof

from turbohtml import TokenType, tokenize

from armarium.harvest.extract.findings import Findings, Notes
from armarium.harvest.extract.page import Page
from armarium.harvest.model import Link

_MAX_BYTES = 4_000_000  # remembered
_BYTES_OF_LINK = 250
_LONGEST_PAGE = 1 << 20  # one page more may be remembered than the limit allows
_LONGEST_PIECE = 1 << 15
_SENTINEL = "<x>"


def _whole(name: str) -> str:
    """An element of which the content is no markup, or matters as a whole; without end tag: all that follows."""
    return rf"(?i:{name})(?=[\s/>])[^<]*+(?:<(?!/(?i:{name}))[^<]*+)*+(?:<[^<>]*+>)?+"


_WHOLE = "script style title textarea noscript noframes noembed iframe xmp form"
# Linear in time: whatever has no end takes in the rest of the page.
_pieces = re.compile(
    (
        r"<(?:[A-EGHJ-MO-RU-WYZa-eghj-mo-ru-wyz][^<>]*+>"  # no element of _WHOLE begins so
        rf"|{'|'.join(map(_whole, _WHOLE.split()))}"
        r"|[A-Za-z][^<>]*+>"
        r"|!--[^-]*+(?:-(?!->)[^-]*+)*+(?:-->)?+"
        r"|[!?][A-Za-z][^<>]*+>"
        r"|(?!/[A-Za-z][^<>\"']*+>)[A-Za-z/!?])"  # something else: no piece, and the page is refused
    ).encode()
).findall
_tag = re.compile(rb"<[A-Za-z][^<>]*+>").fullmatch


class KnownPieces:
    """What pieces of pages refer to. Forgets everything when it is full."""

    def __init__(self, *, javascript: bool) -> None:
        self._javascript = javascript
        self._forget()

    def _forget(self) -> None:
        # New ones, not emptied ones: a page may be about to look up what it has just found in them.
        self._links: dict[bytes, tuple[Link, ...]] = {}
        self._refused: set[bytes] = set()
        self._size = 0

    def read(self, page: bytes, findings: Findings) -> bool:
        """Take in a page in UTF-8; False, and nothing taken in, when it has to be read as a whole."""
        if len(page) > _LONGEST_PAGE:
            return False
        if self._size > _MAX_BYTES:
            self._forget()
        known, pieces = self._links, dict.fromkeys(_pieces(page))
        if not self._refused.isdisjoint(pieces):
            return False
        unknown = [piece for piece in pieces if piece not in known]
        if unknown and not self._learn(unknown, known):
            return False
        links = [link for piece in pieces for link in known[piece]]
        if len(links) >= findings.room:
            return False  # what is beyond the limit is counted as often as it stands there
        findings.add_all(links)
        return True

    def _learn(self, pieces: list[bytes], known: dict[bytes, tuple[Link, ...]]) -> bool:
        tags = []
        for piece in pieces:
            if _tag(piece):
                tags.append(piece)
            elif not self._learn_whole(piece, known):
                return self._refuse(piece)
        return not tags or self._learn_tags(tags, known)

    def _refuse(self, piece: bytes) -> bool:
        self._refused.add(piece)
        self._size += getsizeof(piece)
        return False

    def _learn_whole(self, piece: bytes, known: dict[bytes, tuple[Link, ...]]) -> bool:
        """A comment, or an element with its content."""
        if len(piece) > _LONGEST_PIECE:
            return False
        tokens = list(tokenize(piece.decode("utf-8", "replace") + _SENTINEL))
        last = tokens[-1]
        # An open quote, comment or element would have taken in the sentinel, or parts of it.
        if last.type is not TokenType.START_TAG or last.tag != "x" or last.attrs:
            return False
        notes = Notes()
        reader = self._reader(notes)
        reader.take(tokens)
        if reader.depends_on_page:
            return False
        self._remember(piece, notes, known)
        return True

    def _learn_tags(self, tags: list[bytes], known: dict[bytes, tuple[Link, ...]]) -> bool:
        """Tags, all at once. Each holds one `<` and one `>`: as many start tags as pieces are the pieces."""
        tokens = list(tokenize(b"".join(tags).decode("utf-8", "replace") + _SENTINEL))
        if len(tokens) != len(tags) + 1 or any(token.attrs is None for token in tokens):
            return False
        notes = Notes()
        reader = self._reader(notes)
        for piece, token in zip(tags, tokens, strict=False):
            if token.attrs:
                reader.element(token.tag or "", token.attrs)
                if reader.depends_on_page:
                    return self._refuse(piece)
            self._remember(piece, notes, known)
        return True

    def _reader(self, notes: Notes) -> Page:
        return Page(notes, javascript=self._javascript, follow_nofollow=True)

    def _remember(self, piece: bytes, notes: Notes, known: dict[bytes, tuple[Link, ...]]) -> None:
        known[piece] = links = notes.taken()
        self._size += getsizeof(piece) + _BYTES_OF_LINK * (1 + len(links))


_KNOWN = {javascript: KnownPieces(javascript=javascript) for javascript in (False, True)}


def read_pieces(page: bytes, findings: Findings, *, javascript: bool) -> bool:
    """Take in a page in UTF-8 of which all links count; False when it has to be read as a whole."""
    return _KNOWN[javascript].read(page, findings)
