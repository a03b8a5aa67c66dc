"""Pages by their pieces: what stood on an earlier page is not read again.

The pages of a site share most of their tags, scripts and forms. A page is cut into pieces at the speed of one
regular expression over its bytes; what a piece refers to is remembered by its bytes.

That gives what the tokenizer gives on the whole page, because a piece only counts if the tokenizer itself,
beginning outside of any markup, reads it to its last byte and is then outside of any markup again. Between
the pieces there is text, and end tags that hold no quote, so the tokenizer is where each piece begins in the
state in which it was asked. A page with anything else is `refused`, and has to be read as a whole.
"""

import re

from turbohtml import TokenType, tokenize

from armarium.harvest.extract.findings import Findings, Notes
from armarium.harvest.extract.page import Page
from armarium.harvest.model import Link

_MAX_BYTES = 4_000_000  # remembered
_BYTES_OF_PIECE = 150  # besides its own
_BYTES_OF_LINK = 250
_LONGEST_PAGE = 1 << 20  # one page more may be remembered than the limit allows
_LONGEST_PIECE = 1 << 15
_SENTINEL = "<x>"


def _whole(name: str) -> str:
    """An element that is read with its content, and up to the end of the page if it has no end."""
    return rf"(?i:{name})(?=[\s/>])[^<]*+(?:<(?!/(?i:{name}))[^<]*+)*+(?:<[^<>]*+>)?+"


_WHOLE = "script style title textarea noscript noframes noembed iframe xmp form"
# Linear in time: whatever has no end takes in the rest of the page.
_pieces = re.compile(
    (
        r"<(?!/[A-Za-z][^<>\"']*+>)"  # an end tag
        r"(?:[A-EGHJ-MO-RU-WYZa-eghj-mo-ru-wyz][^<>]*+>"  # no element of _WHOLE begins so
        rf"|(?=[FINSTXfinstx])(?:{'|'.join(map(_whole, _WHOLE.split()))})"
        r"|[A-Za-z][^<>]*+>"
        r"|!--[^-]*+(?:-(?!->)[^-]*+)*+(?:-->)?+"
        r"|[!?][A-Za-z][^<>]*+>"
        r"|[A-Za-z/!?])"  # something else: no piece, and the page is refused
    ).encode()
).findall
_tag = re.compile(rb"<[A-Za-z][^<>]*+>").fullmatch


class KnownPieces:
    """What pieces of pages refer to. Forgets everything when it is full."""

    def __init__(self, *, javascript: bool) -> None:
        self._javascript = javascript
        self._renew_reader()
        self._forget()

    def _forget(self) -> None:
        self._links: dict[bytes, tuple[Link, ...]] = {}
        self._refused: set[bytes] = set()
        self._size = 0

    def _renew_reader(self) -> None:
        self._notes = Notes()
        self._reader = Page(self._notes, javascript=self._javascript, follow_nofollow=True)

    def __len__(self) -> int:
        return len(self._links)

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
        if unknown and not self._learn(unknown):
            self._renew_reader()
            return False
        links = [link for piece in pieces for link in known[piece]]
        if len(links) >= findings.room:
            return False  # what is beyond the limit is counted as often as it stands there
        findings.add_all(links)
        return True

    def _learn(self, pieces: list[bytes]) -> bool:
        tags = []
        for piece in pieces:
            if _tag(piece):
                tags.append(piece)
            elif not self._learn_whole(piece):
                return self._refuse(piece)
        return not tags or self._learn_tags(tags)

    def _learn_whole(self, piece: bytes) -> bool:
        """A comment, or an element with its content."""
        if len(piece) > _LONGEST_PIECE:
            return False
        tokens = list(tokenize(piece.decode("utf-8", "replace") + _SENTINEL))
        last = tokens[-1] if tokens else None
        # An open quote, comment or element would have taken in the sentinel, or a part of it.
        if last is None or last.type is not TokenType.START_TAG or last.tag != "x" or last.attrs:
            return False
        self._reader.take(tokens)
        if self._reader.depends_on_page:
            return False
        self._remember(piece)
        return True

    def _learn_tags(self, tags: list[bytes]) -> bool:
        """Tags, all at once.

        Each holds one `<` at its beginning and one `>` at its end, and whatever the tokenizer gives takes at
        least one `<`: if it gives as many tags as there are pieces, they are the pieces.
        """
        tokens = list(tokenize(b"".join(tags).decode("utf-8", "replace") + _SENTINEL))
        if len(tokens) != len(tags) + 1 or tokens[-1].tag != "x":
            return False
        reader = self._reader
        for piece, token in zip(tags, tokens, strict=False):
            attributes = token.attrs
            if attributes:
                reader.element(token.tag or "", attributes)
                if reader.bound:
                    return self._refuse(piece)
            self._remember(piece)
        return not reader.depends_on_page

    def _remember(self, piece: bytes) -> None:
        self._links[piece] = links = self._notes.taken()
        self._size += len(piece) + _BYTES_OF_PIECE + _BYTES_OF_LINK * len(links)

    def _refuse(self, piece: bytes) -> bool:
        self._refused.add(piece)
        self._size += len(piece) + _BYTES_OF_PIECE
        return False


_KNOWN = {javascript: KnownPieces(javascript=javascript) for javascript in (False, True)}


def read_pieces(page: bytes, findings: Findings, *, javascript: bool) -> bool:
    """Take in a page in UTF-8 of which all links count; False when it has to be read as a whole."""
    return _KNOWN[javascript].read(page, findings)
