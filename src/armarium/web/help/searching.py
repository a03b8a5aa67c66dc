"""Search over the documentation: every word must stand in the part of a page that is found."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from armarium.web.help.library import Source, plain

MOST = 40
EXACT = {"reference", "decisions"}  # what explains comes before what lists
#: In the glossary, a word and what it means: “**Seed**: …”, “**Depth** (of a harvest): …”.
ENTRY = re.compile(r"^\*\*([^*]+)\*\*[^:\n]*: (.+?)(?:\n\n|\Z)", re.MULTILINE | re.DOTALL)
AROUND = 90  # letters shown before and after the first word


@dataclass(frozen=True)
class Hit:
    page: str  # its title
    heading: str  # empty: the beginning of the page
    href: str
    excerpt: Markup


@dataclass(frozen=True)
class _Part:
    page: Source
    heading: str
    anchor: str
    text: str

    def worth(self, words: Sequence[str]) -> int:
        """0: does not fit. A word counts most in the heading, then in the title, then in the text."""
        heard = self.text.casefold()
        title, heading = self.page.title.casefold(), self.heading.casefold()
        worth = 0
        for word in words:
            found = 12 * (word in heading) + 5 * (word in title) + min(heard.count(word), 4)
            if not found:
                return 0
            worth += found
        whole = 100 * (heading == " ".join(words))  # what is called so comes first
        return whole + (worth + 3 * (not self.anchor)) * (1 if self.page.folder in EXACT else 2)


class Index:
    """The parts of all pages, in memory: a million letters, looked through in some milliseconds."""

    def __init__(self, pages: Iterable[Source]) -> None:
        self._parts = [part for page in pages for part in _parts(page)]

    def find(self, asked: str) -> list[Hit]:
        words = asked.casefold().split()
        if not words:
            return []
        worth = [(part.worth(words), part) for part in self._parts]
        best = sorted((one for one in worth if one[0]), key=lambda one: -one[0])[:MOST]
        return [
            Hit(part.page.title, part.heading, part.page.address(part.anchor), excerpt(part.text, words))
            for _, part in best
        ]


def _parts(page: Source) -> Iterator[_Part]:
    for at, piece in enumerate(page.pieces):
        text = "\n".join(piece.lines[1:])
        anchor = piece.heading.anchor if at else ""
        if page.name == "glossary":
            for word, meaning in ENTRY.findall(text):
                yield _Part(page, word, anchor, _spaced(plain(meaning)))
        else:
            yield _Part(page, piece.heading.text if at else "", anchor, _spaced(plain(text)))


def _spaced(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def excerpt(text: str, words: Sequence[str]) -> Markup:
    """The surroundings of the first word that stands in the text, with the words marked."""
    marked = re.compile(
        "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True)), re.IGNORECASE
    )
    first = marked.search(text)
    middle = first.start() if first else 0
    start = text.rfind(" ", 0, max(middle - AROUND, 0)) + 1
    end = text.find(" ", middle + AROUND)
    shown = text[start : end if end > 0 else len(text)]
    pieces, at = [], 0
    for found in marked.finditer(shown):
        pieces += [escape(shown[at : found.start()]), Markup("<mark>") + found[0] + Markup("</mark>")]
        at = found.end()
    pieces.append(escape(shown[at:]))
    return Markup("").join(["…" if start else "", *pieces, "…" if end > 0 else ""])
