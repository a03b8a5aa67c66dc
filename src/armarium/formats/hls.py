"""Playlists of HLS: the attributes of their tags, and the variables in their addresses."""

import re
from collections.abc import Iterator, Mapping
from urllib.parse import parse_qsl

_ATTRIBUTE = re.compile(r'(?<![A-Z0-9-])([A-Z0-9-]++)=("[^"]*+"|[^,]*+)')
_REFERENCE = re.compile(r"\{\$([A-Za-z0-9_-]++)\}")
_LINE = re.compile(r"[^\r\n]*+(?:\r\n|\r|\n|\Z)")
_WHITE_SPACE = " \t\r\n"
_DEFINE = "#EXT-X-DEFINE:"
_VALUE = re.compile(r'[^"\x00-\x1f]{0,4096}')
# Two lines about a piece of a film may become as long as a signed address, but a few bytes no flood.
_GROWTH = 64
_MOST = 64 << 20


def lines_of(text: str) -> Iterator[tuple[str, str]]:
    """Each line as it stands and without the white space around it.

    Only CR and LF end a line (RFC 8216, 4.1), and only white space of ASCII stands around it: what else
    Python takes for either is the half of a letter, where each byte of UTF-8 is one character.
    """
    for found in _LINE.finditer(text):
        if found[0]:
            yield found[0], found[0].strip(_WHITE_SPACE)


def attributes(line: str) -> dict[str, str]:
    """The attributes of a tag, without quotation marks."""
    found = _ATTRIBUTE.findall(line.partition(":")[2])
    return {name: value[1:-1] if value[:1] == '"' else value for name, value in found}


class Variables:
    """The variables of one playlist, as far as its lines have been read (RFC 8216 bis, 4.3 and 4.4.2.3)."""

    def __init__(
        self, url: str, text: str, encoding: str = "utf-8", before: Mapping[str, str] | None = None
    ) -> None:
        query = url.partition("#")[0].partition("?")[2]
        said = parse_qsl(query, keep_blank_values=True, encoding=encoding)
        self._query = dict(reversed(said))  # of several of a name, the first counts
        self._before = before or {}  # the values of the playlist that led here, where they are known
        self.values: dict[str, str] = {}
        self._room = min(len(text) * _GROWTH, _MOST)
        self.imported: set[str] = set()  # what only the playlist that led here knows

    def define(self, line: str) -> str | None:
        """The name that a line defines; None if it is another line."""
        if not line.startswith(_DEFINE):
            return None
        said = attributes(line)
        if "IMPORT" in said:
            name, value = said["IMPORT"], self._before.get(said["IMPORT"])
            self.imported.add(name)
        elif "QUERYPARAM" in said:
            name = said["QUERYPARAM"]
            value = self._query.get(name)
        else:
            name, value = said.get("NAME", ""), self.filled(said.get("VALUE", ""))
        if value is not None and _VALUE.fullmatch(value):
            self.values[name] = value
        return name

    def filled(self, text: str) -> str:
        """With the values of all variables that are known; a text that would never end keeps its names."""
        return _REFERENCE.sub(self._filled, text) if "{$" in text else text

    def _filled(self, found: re.Match[str]) -> str:
        value = self.values.get(found[1])
        if value is None or len(value) > self._room:
            return found[0]
        self._room -= len(value)
        return value


def has_variables(text: str) -> bool:
    return _REFERENCE.search(text) is not None
