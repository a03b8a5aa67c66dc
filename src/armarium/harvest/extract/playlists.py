"""Lists of media: HLS playlists, text tracks with pictures."""

import re

from armarium.formats.hls import Variables, has_variables, lines_of
from armarium.formats.text import Kind
from armarium.harvest.extract.addresses import is_absolute, is_address, is_path, suffix
from armarium.harvest.extract.document import Document
from armarium.harvest.extract.findings import Findings
from armarium.harvest.model import Hop

_attribute = re.compile(r"\b(?:URI|X-ASSET-LIST)=\"([^\"]*+)\"").findall
_PICTURES = frozenset(("jpg", "jpeg", "png", "webp", "gif", "avif"))
_LONGEST = 4096


class HlsExtractor:
    """RFC 8216: every line that is no tag is an address, and so are the URI attributes of tags.

    What is imported from the list that led here is not known here: addresses with it are left.
    """

    name = "hls"
    _TYPES = frozenset(
        ("application/vnd.apple.mpegurl", "application/x-mpegurl", "audio/mpegurl", "audio/x-mpegurl")
    )

    def takes(self, document: Document) -> bool:
        return document.mime in self._TYPES or document.body[:10].lstrip(b"\xef\xbb\xbf").startswith(
            b"#EXTM3U"
        )

    def read(self, document: Document, findings: Findings) -> None:
        text, _ = document.text(Kind.PLAIN)
        strict = text.lstrip("\ufeff").startswith("#EXTM3U")
        variables = Variables(document.url, text)
        for _, whole in lines_of(text):
            line = whole[:_LONGEST]
            if variables.define(line) is not None:
                continue
            if line.startswith("#"):
                for uri in _attribute(line) if line.startswith("#EXT") else ():
                    self._add(variables.filled(uri), "hls/@uri", findings)
            elif line and (strict or is_address(line)):
                self._add(variables.filled(line), "hls/uri", findings)

    @staticmethod
    def _add(address: str, context: str, findings: Findings) -> None:
        if not has_variables(address):
            findings.add(address, Hop.EMBED, context)


class TextTrackExtractor:
    """WebVTT: a track of thumbnails names a picture in every cue."""

    name = "text-track"

    def takes(self, document: Document) -> bool:
        return document.mime == "text/vtt" or (
            document.vague and document.body[:10].lstrip(b"\xef\xbb\xbf")[:6] == b"WEBVTT"
        )

    def read(self, document: Document, findings: Findings) -> None:
        text, _ = document.text(Kind.PLAIN)
        for written in text.splitlines():
            line = written.strip()
            named = 4 < len(line) <= _LONGEST and suffix(line) in _PICTURES
            if (named and is_path(line, certain=True)) or is_absolute(line[:_LONGEST]):
                findings.add(line, Hop.EMBED, "vtt/cue")
