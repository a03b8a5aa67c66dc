"""The files of the documentation: where they lie, which there are, and their addresses on the site."""

import re
import sysconfig
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

import armarium

HELP = "/help/"
START = "README"  # of a folder
PICTURES = {".svg": "image/svg+xml", ".png": "image/png", ".webp": "image/webp", ".jpg": "image/jpeg"}
#: A page of more letters is shown by its chapters: nobody waits for all 300 commands to read of one.
LARGE = 50_000

HEADING = re.compile(r"^(#{1,6}) +(.+?) *#* *$")
FENCE = re.compile(r"^ *(```|~~~)")
#: Of a line: what makes it an item, a heading, a quotation, the rule of a table, a fence.
MARKS = re.compile(
    r"^ *(?:[-*]|\d+\.|#+|>) +|^ *\|?[-:| ]+\|[-:| ]*$|^ *(?:```|~~~).*$",
    re.MULTILINE,
)
INLINE = re.compile(r"`|\*\*|(?<!\w)\*|\*(?!\w)| *\| *")


@dataclass(frozen=True)
class Heading:
    level: int
    text: str  # without marks
    anchor: str


@dataclass(frozen=True)
class Piece:
    """A heading with the lines below it, down to the next one."""

    heading: Heading
    lines: tuple[str, ...]  # the heading's own is the first


@dataclass(frozen=True)
class Source:
    """A Markdown file, cut at its headings."""

    path: str  # as docs/how-to/translate.md, seen from the top of the checkout
    text: str

    @property
    def name(self) -> str:
        """What its address ends with: how-to/translate."""
        inside = self.path.removeprefix("docs/").removesuffix(".md")
        if self.path.startswith("docs/"):
            return inside.removesuffix(START).rstrip("/")
        return inside.lower()

    @property
    def file(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def folder(self) -> str:
        """Its section of the help."""
        return self.path.split("/")[1] if self.path.count("/") > 1 else ""

    @property
    def title(self) -> str:
        return self.pieces[0].heading.text

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        return tuple(cut(self.text))

    @property
    def is_large(self) -> bool:
        return len(self.text) > LARGE

    @cached_property
    def chapters(self) -> Mapping[str, tuple[Piece, ...]]:
        """By the anchor of their heading, the parts that a large page is shown in; "" is what comes first."""
        chapters: dict[str, list[Piece]] = {"": []}
        for piece in self.pieces:
            if piece.heading.level == 2:
                chapters[piece.heading.anchor] = []
            chapters[next(reversed(chapters))].append(piece)
        return {anchor: tuple(pieces) for anchor, pieces in chapters.items()}

    @cached_property
    def anchors(self) -> Mapping[str, str]:
        """Of each anchor the chapter in which it stands."""
        return {
            piece.heading.anchor: chapter for chapter, pieces in self.chapters.items() for piece in pieces
        }

    def address(self, anchor: str = "") -> str:
        """Of the page, or of the place in it; in a large page, in its chapter."""
        chapter = self.anchors.get(anchor, "") if self.is_large else ""
        page = HELP + self.name + (f"/{chapter}" if chapter else "")
        return page + (f"#{anchor}" if anchor and anchor != chapter else "")


def cut(text: str) -> Iterator[Piece]:
    """The page at its headings. Lines of code that begin with # are none."""
    heading, lines = Heading(1, "", ""), list[str]()
    fence, seen = "", dict[str, int]()
    for line in text.splitlines():
        if opened := FENCE.match(line):
            fence = "" if fence else opened[1]
        found = None if fence else HEADING.match(line)
        if found:
            if lines:
                yield Piece(heading, tuple(lines))
            heading, lines = Heading(len(found[1]), plain(found[2]), anchor_of(found[2], seen)), []
        lines.append(line)
    yield Piece(heading, tuple(lines))


def anchor_of(heading: str, seen: dict[str, int]) -> str:
    """As a forge makes it, so that one link leads to the same place there and here."""
    anchor = re.sub(r"[^\w\- ]", "", plain(heading).lower()).replace(" ", "-")
    seen[anchor] = seen.get(anchor, -1) + 1
    return f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor


def plain(text: str) -> str:
    """The words of a piece of Markdown, for titles and for the search."""
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = MARKS.sub("", text)
    return INLINE.sub(lambda mark: " " if "|" in mark[0] else "", text).strip()


class Library:
    """All files of the documentation, by the addresses that they have."""

    def __init__(self, top: Path) -> None:
        self._top = top
        docs = top / "docs"
        files = sorted(docs.rglob("*")) if docs.is_dir() else []
        pages = [*sorted(top.glob("*.md")), *(file for file in files if file.suffix == ".md")]
        self.pages = {page.name: page for page in map(self._source, pages)}
        self.of_path = {page.path: page for page in self.pages.values()}
        self.pictures = {file.relative_to(docs).as_posix(): file for file in files if file.suffix in PICTURES}

    def _source(self, file: Path) -> Source:
        return Source(file.relative_to(self._top).as_posix(), file.read_text("utf-8"))

    def found(self, name: str) -> tuple[Source, str] | None:
        """The page of this address, and which of its chapters."""
        if page := self.pages.get(name):
            return page, ""
        above, _, chapter = name.rpartition("/")
        page = self.pages.get(above)
        return (page, chapter) if page and page.is_large and chapter in page.chapters else None

    def lead(self, page: Source, target: str) -> str | None:
        """Where a link of a page leads on the site; None: to a file that is no page of help."""
        if re.match(r"[a-z]+:", target):
            return target
        path, _, anchor = target.partition("#")
        if not path:
            return page.address(anchor)
        whole = _joined(PurePosixPath(page.path).parent, path)
        if whole.removeprefix("docs/") in self.pictures:
            return HELP + whole.removeprefix("docs/")
        leads_to = self.of_path.get(whole) or self.of_path.get(f"{whole}/{START}.md")
        return leads_to.address(anchor) if leads_to else None


def _joined(folder: PurePosixPath, path: str) -> str:
    parts: list[str] = list(folder.parts)
    for part in PurePosixPath(path).parts:
        if part == "..":
            del parts[-1:]
        else:
            parts.append(part)
    return "/".join(parts)


def top() -> Path:
    """The checkout from which this runs, or the folder into which a wheel puts the same files."""
    checkout = Path(armarium.__file__).parents[2]
    return checkout if (checkout / "docs").is_dir() else Path(sysconfig.get_path("data"), "share", "armarium")
