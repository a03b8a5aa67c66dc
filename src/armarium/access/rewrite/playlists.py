"""HLS: lists of the pieces of a film, and lists of such lists.

Addresses may hold variables, `{$name}`. What this list says of them is filled in. What it imports from the
list that led here only the player knows, and it may be a whole address: so every list of lists says each of
its values a second time, as an address in the archive, and addresses that begin with it import that one.
"""

import re

from armarium.access.rewrite.links import Links
from armarium.access.rewrite.manifests import best, number
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
