"""Text tracks with pictures."""

from armarium.formats.text import Kind
from armarium.harvest.extract.addresses import is_absolute, is_path, suffix
from armarium.harvest.extract.document import Document
from armarium.harvest.extract.findings import Findings
from armarium.harvest.model import Hop

_PICTURES = frozenset(("jpg", "jpeg", "png", "webp", "gif", "avif"))
_LONGEST = 4096


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
            if (named and is_path(line, certain=True)) or (len(line) <= _LONGEST and is_absolute(line)):
                findings.add(line, Hop.EMBED, "vtt/cue")
