"""What the columns of a CDX file mean: by its legend, or by the shape of its lines.

The legend is the first line of the file: the delimiter, `CDX`, then one letter per column
(IIPC "CDX File Format", 2006 and 2015). Many files have none, and then custom tells.
"""

from dataclasses import dataclass

from armarium.formats.cdx.timestamps import is_timestamp_like

# The names are those that pywb and cdxj-indexer write into CDXJ, where they have one.
LETTERS = {
    "A": "canonized.url",
    "B": "newsgroup",
    "C": "category",
    "D": "dat.offset",
    "F": "canonized.frame",
    "G": "language.description",
    "H": "canonized.host",
    "I": "canonized.image",
    "J": "canonized.jump",
    "K": "fbis",
    "L": "canonized.link",
    "M": "robotflags",
    "N": "urlkey",
    "P": "canonized.path",
    "Q": "language",
    "R": "canonized.redirect",
    "S": "length",
    "U": "uniqueness",
    "V": "offset",
    "X": "canonized.href",
    "Y": "canonized.src",
    "Z": "canonized.script",
    "a": "url",
    "b": "timestamp",
    "c": "checksum",
    "d": "dat.uncompressed",
    "e": "ip",
    "f": "frame",
    "g": "filename",
    "h": "host",
    "i": "image",
    "j": "jump",
    "k": "digest",
    "l": "link",
    "m": "mime",
    "n": "document.length",
    "o": "port",
    "p": "path",
    "r": "redirect",
    "s": "status",
    "t": "title",
    "v": "offset.uncompressed",
    "x": "href",
    "y": "src",
    "z": "script",
    "#": "comment",
}

# A second S, V or g tells where the capture lay that a revisit repeats (pywb, OutbackCDX).
ORIGINALS = {"S": "orig.length", "V": "orig.offset", "g": "orig.filename"}


@dataclass(frozen=True)
class Layout:
    """The columns of one CDX file, from left to right."""

    letters: tuple[str, ...]
    names: tuple[str, ...]
    delimiter: str = " "

    @classmethod
    def of(cls, letters: str, delimiter: str = " ") -> "Layout":
        """`Layout.of("N b a m s k r M S V g")`."""
        marks = tuple(letters.split())
        return cls(marks, _names(marks), delimiter)

    def legend(self) -> str:
        return self.delimiter + self.delimiter.join(("CDX", *self.letters))

    def __len__(self) -> int:
        return len(self.names)


def _names(letters: tuple[str, ...]) -> tuple[str, ...]:
    """Names are unique: a repeated letter that has no known second meaning is numbered."""
    names: list[str] = []
    for position, letter in enumerate(letters):
        name = LETTERS.get(letter, letter)
        if name == "canonized.url" and "N" not in letters:
            name = "urlkey"  # before there were massaged URLs, the canonized URL was the key
        if name in names:
            name = ORIGINALS.get(letter, name)
        if name in names:
            name = f"{name}.{position}"
        names.append(name)
    return tuple(names)


CDX11 = Layout.of("N b a m s k r M S V g")
CDX10 = Layout.of("N b a m s k r M V g")
CDX9 = Layout.of("N b a m s k r V g")
CDX14 = Layout.of("N b a m s k r M S V g S V g")
CDX13 = Layout((*CDX10.letters, "S", "V", "g"), (*CDX10.names, "orig.length", "orig.offset", "orig.filename"))
CDX12 = Layout((*CDX9.letters, "S", "V", "g"), (*CDX9.names, "orig.length", "orig.offset", "orig.filename"))
CDX7 = Layout.of("N b a m s k S")
# The default of the specification of 2006.
HISTORIC = Layout.of("A b e a m s c k r V v D d g M n")
# The Bibliothèque nationale de France, 1996–2013: the host in place of the URL.
BNF = Layout.of("N b h m s c V g")
# NetarchiveSuite's ExtractCDX: URL, IP, date, type, document length, file, offset, and mostly MD5.
NETARKIVET8 = Layout.of("a e b m n g v c")
NETARKIVET7 = Layout.of("a e b m n g v")

_KEY_THEN_DATE = {
    7: CDX7,
    8: BNF,
    9: CDX9,
    10: CDX10,
    11: CDX11,
    12: CDX12,
    13: CDX13,
    14: CDX14,
    16: HISTORIC,
}
_DATE_THIRD = {7: NETARKIVET7, 8: NETARKIVET8}
MOST_COLUMNS = 64
_LONGEST_LEGEND = 512
_NO_DELIMITERS = "!@#-\x00"  # they begin other lines, or stand for no value


def parse_legend(line: str) -> Layout | None:
    """The layout that a header line announces, or None if this is no header line.

    Web Curator Tool writes `CDX b e a …` without the delimiter in front, so that is understood too.
    """
    bare = line.rstrip("\r\n")
    if len(bare) > _LONGEST_LEGEND:
        return None
    if bare[1:5].rstrip(bare[:1]) == "CDX" and not bare[0].isalnum():
        delimiter, rest = bare[0], bare[4:]
    elif bare.startswith("CDX") and len(bare) > 3 and not bare[3].isalnum():
        delimiter, rest = bare[3], bare[3:]
    else:
        return None
    if delimiter in _NO_DELIMITERS:
        return None
    letters = tuple(mark for mark in rest.split(delimiter) if mark)
    if not letters or len(letters) > MOST_COLUMNS or any(len(mark) != 1 for mark in letters):
        return None
    return Layout(letters, _names(letters), delimiter)


def layout_by_shape(columns: list[str]) -> Layout | None:
    """The layout that such lines have by custom: told by the number of columns and the date's place."""
    if len(columns) < 3:
        return None
    if is_timestamp_like(columns[1]):
        return _KEY_THEN_DATE.get(len(columns))
    if is_timestamp_like(columns[2]):
        return _DATE_THIRD.get(len(columns))
    return None
