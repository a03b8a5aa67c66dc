"""HLS and DASH: lists of the pieces of a film, and which of its variants is shown.

Addresses may hold variables, `{$name}`. What this list says of them is filled in. What it imports from the
list that led here only the player knows, and it may be a whole address: so every list of lists says each of
its values a second time, as an address in the archive, and addresses that begin with it import that one.
"""

import re

from armarium.access.rewrite.links import Links
from armarium.formats.hls import Variables, attributes, lines_of

_VARIANT = "#EXT-X-STREAM-INF"
_PICTURES = "#EXT-X-I-FRAME-STREAM-INF"
_ANY = "http://any.invalid/"
_IN_ARCHIVE = "-in-archive"  # behind the name of a variable

_URI = re.compile(r'(\b(?:URI|X-ASSET-LIST)=")([^"]*)(")')
_FIRST = re.compile(r"\{\$([A-Za-z0-9_-]++)\}(?![A-Za-z0-9+.-]*+:)")
_WHOLE = re.compile(r"\{\$[A-Za-z0-9_-]++\}[A-Za-z0-9+.-]*+:")
_FROM_A_ROOT = re.compile(r"/|[a-zA-Z][a-zA-Z0-9+.-]*+:")
_ENCODED = re.compile(r"%7B\$([A-Za-z0-9_-]++)%7D")
_BEGINNING = re.compile(r'(?:^|[\r\n"])[ \t]*+\{\$([A-Za-z0-9_-]++)\}')


def rewrite_hls(text: str, links: Links) -> str:
    return _Playlist(text, links).rewritten()


class _Playlist:
    def __init__(self, text: str, links: Links) -> None:
        self._links = links
        self._lines = list(lines_of(text))
        self._variables = Variables(links.url, text, "latin-1")
        self._first = set(_BEGINNING.findall(text))
        self._variants = [line for _, line in self._lines if line.startswith(_VARIANT)]

    def rewritten(self) -> str:
        chosen = best([_size(line) for line in self._variants])
        answer: list[str] = []
        variant, skipped = -1, False
        for written, line in self._lines:
            self._links.work_on()
            if (name := self._variables.define(line)) is not None:
                answer += (written, self._second(name, written))
                continue
            if line.startswith(_VARIANT):
                variant += 1
                skipped = variant != chosen
            if line and not line.startswith("#"):
                if not skipped:
                    answer.append(written.replace(line, self._address(line), 1))
                skipped = False
            elif not skipped and not line.startswith(_PICTURES):
                answer.append(_URI.sub(lambda found: found[1] + self._address(found[2]) + found[3], written))
        return "".join(answer)

    def _address(self, written: str) -> str:
        address = self._variables.filled(written)
        if not self._variables.imported:
            return self._links.archived(address, "oe_")
        first = _FIRST.match(address)
        if first and first[1] in self._variables.imported:
            return f"{{${first[1]}{_IN_ARCHIVE}}}{address[first.end() :]}"
        if _WHOLE.match(address):  # its scheme is a variable
            return self._links.absolute(_ANY, "oe_").removesuffix(_ANY) + address
        return _ENCODED.sub(r"{$\1}", self._links.archived(address, "oe_"))

    def _second(self, name: str, written: str) -> str:
        """The line that says of a variable where it lies in the archive, where somebody may need it."""
        end = written[len(written.rstrip("\r\n")) :] or "\n"
        lead = "" if written.endswith(("\r", "\n")) else end
        if name in self._variables.imported:
            told = f'IMPORT="{name}{_IN_ARCHIVE}"' if name in self._first else ""
        else:
            value = self._variables.values.get(name) if self._variants else None
            if value is not None and _FROM_A_ROOT.match(value):
                value = self._links.absolute(value, "oe_")
            told = f'NAME="{name}{_IN_ARCHIVE}",VALUE="{value}"' if value is not None else ""
        return f"{lead}#EXT-X-DEFINE:{told}{end}" if told else ""


def _size(line: str) -> tuple[int, int]:
    said = attributes(line)
    height = said.get("RESOLUTION", "").partition("x")[2]
    return number(said.get("BANDWIDTH", "")), number(height)


# DASH: descriptions of a film and its pieces; and of films in general, which of their variants is shown.
# A player chooses among variants by the speed of the connection, and a crawler has fetched what one player
# chose once. So one variant of each kind is left: the largest that is not beyond what was usual.


# 1080p at most: larger ones are rarely archived as a whole, and smaller ones are always there.
_MOST_LINES = 1080
_MOST_BANDWIDTH = 8_000_000

# An element without its end stops at the next one of its name: nothing is read twice.
_REPRESENTATION = re.compile(
    r"<Representation\b((?:[^<>\"'/]++|/(?!>)|\"[^\"]*+\"|'[^']*+')*+)"
    r"(?:/>|>(?:[^<]++|<(?!/?Representation\b))*+</Representation\s*>)"
)
_SET = re.compile(r"<AdaptationSet\b(?:[^<]++|<(?!/?AdaptationSet\b))*+</AdaptationSet\s*>")
_XML_ATTRIBUTE = re.compile(r"\b(bandwidth|height|width)\s*=\s*[\"'](\d+)[\"']")
_BASE_URL = re.compile(r"(<BaseURL\b[^<>]*+>)([^<]*+)(?=</BaseURL\s*+>)")
_DASH_ADDRESS = re.compile(
    r"(\b(?:initialization|media|sourceURL|index|xlink:href|href)\s*=\s*)(\"[^\"]*\"|'[^']*')"
)


def number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0


def best(variants: list[tuple[int, int]]) -> int:
    """The number of the best variant within the limits, or of the smallest if all are beyond them."""
    sane = [
        (bandwidth, -place)
        for place, (bandwidth, lines) in enumerate(variants)
        if bandwidth <= _MOST_BANDWIDTH and lines <= _MOST_LINES
    ]
    if sane:
        return -max(sane)[1]
    return min(range(len(variants)), key=lambda place: variants[place][0], default=-1)


def rewrite_dash(text: str, links: Links) -> str:
    text = _SET.sub(_one_representation, text)
    text = _BASE_URL.sub(lambda found: found[1] + links.archived(found[2].strip(), "oe_"), text)

    def address(found: re.Match[str]) -> str:
        quote, written = found[2][0], found[2][1:-1]
        return f"{found[1]}{quote}{links.archived(written, 'oe_')}{quote}"

    return _DASH_ADDRESS.sub(address, text)


def _one_representation(found: re.Match[str]) -> str:
    text = found[0]
    all_of_them = list(_REPRESENTATION.finditer(text))
    if len(all_of_them) < 2:
        return text
    variants = []
    for each in all_of_them:
        values = {name: number(value) for name, value in _XML_ATTRIBUTE.findall(each[1])}
        variants.append((values.get("bandwidth", 0), values.get("height", 0)))
    chosen = best(variants)
    kept, at = [], 0
    for place, each in enumerate(all_of_them):
        kept.append(text[at : each.start()])
        if place == chosen:
            kept.append(each[0])
        at = each.end()
    return "".join(kept) + text[at:]
