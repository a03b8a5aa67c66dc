"""HLS playlists (RFC 8216, and draft-pantos-hls-rfc8216bis for the variables in them)."""

import re
from collections import OrderedDict

from armarium.formats.hls import Variables, has_variables, lines_of
from armarium.formats.text import Kind
from armarium.harvest.extract.addresses import is_address
from armarium.harvest.extract.document import Document
from armarium.harvest.extract.findings import Findings
from armarium.harvest.model import Hop

_address_in_tag = re.compile(r"\b(?:URI|X-ASSET-LIST)=\"([^\"]*+)\"").findall
_LONGEST = 4096
_MOST_PLAYLISTS = 1000
UNKNOWN_VARIABLE = "hlsTrunc"


class HlsExtractor:
    """RFC 8216: every line that is no tag is an address, and so are the URI attributes of tags.

    A playlist may take over variables of the one that led to it; so those of the last ones are remembered.
    """

    name = "hls"
    _TYPES = frozenset(
        ("application/vnd.apple.mpegurl", "application/x-mpegurl", "audio/mpegurl", "audio/x-mpegurl")
    )

    def __init__(self) -> None:
        self._defined: OrderedDict[str, dict[str, str]] = OrderedDict()  # by the address of the playlist

    def takes(self, document: Document) -> bool:
        return document.mime in self._TYPES or document.body[:10].lstrip(b"\xef\xbb\xbf").startswith(
            b"#EXTM3U"
        )

    def read(self, document: Document, findings: Findings) -> None:
        text, _ = document.text(Kind.PLAIN)
        strict = text.lstrip("\ufeff").startswith("#EXTM3U")
        variables = Variables(document.url, text, before=self._defined.get(document.via))
        for _, line in lines_of(text):
            if variables.define(line) is not None:
                continue
            if line.startswith("#"):
                for uri in _address_in_tag(line) if line.startswith("#EXT") else ():
                    _add(variables.filled(uri), findings, "hls/@uri")
            elif line and (strict or is_address(line[:_LONGEST])):
                _add(variables.filled(line), findings, "hls/uri")
        if variables.values:
            self._remember(document.url, variables.values)

    def _remember(self, url: str, variables: dict[str, str]) -> None:
        self._defined[url] = variables
        self._defined.move_to_end(url)
        if len(self._defined) > _MOST_PLAYLISTS:
            self._defined.popitem(last=False)


def _add(reference: str, findings: Findings, context: str) -> None:
    if not has_variables(reference):
        findings.add(reference, Hop.EMBED, context)
    elif UNKNOWN_VARIABLE not in findings.annotations:
        findings.annotations.append(UNKNOWN_VARIABLE)  # nobody knows where it leads
