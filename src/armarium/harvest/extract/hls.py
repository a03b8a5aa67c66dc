"""HLS playlists (RFC 8216, and draft-pantos-hls-rfc8216bis for the variables in them)."""

import re
from collections import OrderedDict
from urllib.parse import unquote

from armarium.formats.text import Kind
from armarium.harvest.extract.addresses import is_address
from armarium.harvest.extract.document import Document
from armarium.harvest.extract.findings import Findings
from armarium.harvest.model import Hop

_address_in_tag = re.compile(r"\b(?:URI|X-ASSET-LIST)=\"([^\"]*+)\"").findall
_attribute = re.compile(r"([A-Z0-9-]++)=(?:\"([^\"]*+)\"|[^\",]*+)").findall
# 4.3: "{$" and a name of letters, digits, - and _, and "}".
_variable = re.compile(r"\{\$([A-Za-z0-9_-]++)\}")
_DEFINE = "#EXT-X-DEFINE:"
_LONGEST = 4096
_MOST_VARIABLES = 100
_MOST_PLAYLISTS = 1000
UNKNOWN_VARIABLE = "hlsTrunc"

Variables = dict[str, str]


class HlsExtractor:
    """RFC 8216: every line that is no tag is an address, and so are the URI attributes of tags.

    A playlist may take over variables of the one that led to it; so those of the last ones are remembered.
    """

    name = "hls"
    _TYPES = frozenset(
        ("application/vnd.apple.mpegurl", "application/x-mpegurl", "audio/mpegurl", "audio/x-mpegurl")
    )

    def __init__(self) -> None:
        self._defined: OrderedDict[str, Variables] = OrderedDict()  # by the address of the playlist

    def takes(self, document: Document) -> bool:
        return document.mime in self._TYPES or document.body[:10].lstrip(b"\xef\xbb\xbf").startswith(
            b"#EXTM3U"
        )

    def read(self, document: Document, findings: Findings) -> None:
        text, _ = document.text(Kind.PLAIN)
        strict = text.lstrip("\ufeff").startswith("#EXTM3U")
        variables: Variables = {}
        for written in text.splitlines():
            line = written.strip()
            if line.startswith(_DEFINE):
                self._define(line, document, variables)
            elif line.startswith("#"):
                for uri in _address_in_tag(line) if line.startswith("#EXT") else ():
                    _add(uri, variables, findings, "hls/@uri")
            elif line and (strict or is_address(line[:_LONGEST])):
                _add(line, variables, findings, "hls/uri")
        if variables:
            self._remember(document.url, variables)

    def _define(self, line: str, document: Document, variables: Variables) -> None:
        """4.4.2.3: a variable has its value here, in the playlist before, or in the query of the address."""
        said = dict(_attribute(line))
        name = said.get("NAME") or said.get("IMPORT") or said.get("QUERYPARAM") or ""
        value: str | None = None
        if "NAME" in said:
            value = _filled(said.get("VALUE", ""), variables)
        elif "IMPORT" in said:
            value = self._defined.get(document.via, {}).get(name)
        elif "QUERYPARAM" in said:
            value = _parameter(document.url, name)
        if value is not None and len(value) <= _LONGEST and len(variables) < _MOST_VARIABLES:
            variables.setdefault(name, value)

    def _remember(self, url: str, variables: Variables) -> None:
        self._defined[url] = variables
        self._defined.move_to_end(url)
        if len(self._defined) > _MOST_PLAYLISTS:
            self._defined.popitem(last=False)


def _add(written: str, variables: Variables, findings: Findings, context: str) -> None:
    reference = _filled(written, variables)
    if reference is not None:
        findings.add(reference, Hop.EMBED, context)
    elif UNKNOWN_VARIABLE not in findings.annotations:
        findings.annotations.append(UNKNOWN_VARIABLE)  # nobody knows where it leads


def _filled(text: str, variables: Variables) -> str | None:
    """With its variables filled in; None if one is not known."""
    if "{$" not in text:
        return text
    names = _variable.findall(text)
    if any(name not in variables for name in names):
        return None
    # Values may hold values: what doubles with each line must not be written out.
    if len(text) + sum(len(variables[name]) for name in names) > 2 * _LONGEST:
        return None
    return _variable.sub(lambda found: variables[found[1]], text)


def _parameter(url: str, name: str) -> str | None:
    """A parameter of the query, the first of that name."""
    for one in url.partition("#")[0].partition("?")[2].split("&"):
        key, _, value = one.partition("=")
        if unquote(key) == name:
            return unquote(value)
    return None
