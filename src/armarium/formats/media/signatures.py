"""Signatures of the browser: WHATWG MIME Sniffing, section 6 and its tables."""

import re
from typing import NamedTuple

_SPACE = b"\t\n\x0c\r "


class Signature(NamedTuple):
    """Bytes that must stand at the beginning, where the mask has a bit set."""

    pattern: bytes
    mask: bytes
    mime: str

    def matches(self, head: bytes) -> bool:
        """ "Pattern matching algorithm" without its ignored bytes, which the caller has removed."""
        if len(head) < len(self.pattern):
            return False
        return all(
            byte & mask == wanted for byte, mask, wanted in zip(head, self.mask, self.pattern, strict=False)
        )


def _plain(pattern: bytes, mime: str, gaps: tuple[int, int] = (0, 0)) -> Signature:
    """A signature whose bytes count all, but for a gap."""
    mask = bytes(0 if gaps[0] <= at < gaps[1] else 0xFF for at in range(len(pattern)))
    return Signature(pattern, mask, mime)


_GAP = b"\0\0\0\0"

# 6.1 images
IMAGES = (
    _plain(b"\x00\x00\x01\x00", "image/x-icon"),
    _plain(b"\x00\x00\x02\x00", "image/x-icon"),
    _plain(b"BM", "image/bmp"),
    _plain(b"GIF87a", "image/gif"),
    _plain(b"GIF89a", "image/gif"),
    _plain(b"RIFF" + _GAP + b"WEBPVP", "image/webp", (4, 8)),
    _plain(b"\x89PNG\r\n\x1a\n", "image/png"),
    _plain(b"\xff\xd8\xff", "image/jpeg"),
)

# 6.2 audio and video
AUDIO_AND_VIDEO = (
    _plain(b"FORM" + _GAP + b"AIFF", "audio/aiff", (4, 8)),
    _plain(b"ID3", "audio/mpeg"),
    _plain(b"OggS\0", "application/ogg"),
    _plain(b"MThd\0\0\0\x06", "audio/midi"),
    _plain(b"RIFF" + _GAP + b"AVI ", "video/avi", (4, 8)),
    _plain(b"RIFF" + _GAP + b"WAVE", "audio/wave", (4, 8)),
)

# 6.4 archives
ARCHIVES = (
    _plain(b"\x1f\x8b\x08", "application/x-gzip"),
    _plain(b"PK\x03\x04", "application/zip"),
    _plain(b"Rar \x1a\x07\x00", "application/x-rar-compressed"),
    _plain(b"Rar!\x1a\x07\x00", "application/x-rar-compressed"),
)

# 7.1, first table: after white space, in any case, followed by a space or ">" ("tag-terminating byte")
_HTML_TAGS = re.compile(
    rb"[\t\n\x0c\r ]*<(?:!DOCTYPE HTML|HTML|HEAD|SCRIPT|IFRAME|H1|DIV|FONT|TABLE|A|STYLE|TITLE|B|"
    rb"BODY|BR|P|!--)[ >]",
    re.IGNORECASE,
)


def scriptable(head: bytes) -> str | None:
    """Types in which a script could run: only guessed when the server did not forbid to guess."""
    if _HTML_TAGS.match(head):
        return "text/html"
    if head.lstrip(_SPACE).startswith(b"<?xml"):
        return "text/xml"
    return "application/pdf" if head.startswith(b"%PDF-") else None


def unscriptable(head: bytes) -> str | None:
    """PostScript and byte order marks: 7.1, second table."""
    if head.startswith(b"%!PS-Adobe-"):
        return "application/postscript"
    # The table asks for a mark and one byte, or two, after it.
    if len(head) >= 4 and head.startswith((b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf")):
        return "text/plain"
    return None


def image_type(head: bytes) -> str | None:
    """ "Image type pattern matching algorithm"."""
    return next((one.mime for one in IMAGES if one.matches(head)), None)


def archive_type(head: bytes) -> str | None:
    """ "Archive type pattern matching algorithm"."""
    return next((one.mime for one in ARCHIVES if one.matches(head)), None)


def audio_or_video_type(head: bytes) -> str | None:
    """ "Audio or video type pattern matching algorithm"."""
    for one in AUDIO_AND_VIDEO:
        if one.matches(head):
            return one.mime
    if is_mp4(head):
        return "video/mp4"
    if is_webm(head):
        return "video/webm"
    return "audio/mpeg" if is_mp3(head) else None


def is_mp4(head: bytes) -> bool:
    """6.2.1 "Signature for MP4"."""
    if len(head) < 12:
        return False
    size = int.from_bytes(head[:4], "big")
    if len(head) < size or size % 4 or head[4:8] != b"ftyp":
        return False
    if head[8:11] == b"mp4":
        return size >= 12
    brands = (head[at : at + 3] for at in range(16, size, 4))
    return any(brand == b"mp4" for brand in brands) or (size >= 12 and head[8:12] in _MP4_BRANDS)


# The standard names brands that begin with "mp4" only; every browser plays these too, and files in the wild
# have them.
_MP4_BRANDS = frozenset((b"isom", b"iso2", b"avc1", b"M4V ", b"dash"))


def is_webm(head: bytes) -> bool:
    """6.2.2 "Signature for WebM": an EBML header whose DocType is "webm"."""
    if not head.startswith(b"\x1a\x45\xdf\xa3"):
        return False
    at = 4
    while at < min(len(head), 38):
        if head.startswith(b"\x42\x82", at):
            at += 2
            if at >= len(head):
                return False
            at += _vint_size(head, at)
            if at >= len(head) - 4:
                return False
            # "Matching a padded sequence": zeros, then the pattern
            if head[at:].lstrip(b"\0").startswith(b"webm"):
                return True
        at += 1
    return False


def _vint_size(head: bytes, at: int) -> int:
    """ "Parse a vint": the number of its octets, which is the place of the first bit set."""
    octets = 1
    mask = 0x80
    while octets < 8 and octets < len(head) - at and not head[at] & mask:
        mask >>= 1
        octets += 1
    return octets


_RATES = (44100, 48000, 32000)
_MP3_BITRATES = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)
_MP25_BITRATES = (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160)


def is_mp3(head: bytes) -> bool:
    """6.2.3 "Signature for MP3 without ID3": a frame, and at its end another one."""
    if not _mp3_header(head, 0):
        return False
    skipped = _mp3_frame_size(head)
    if skipped < 4 or skipped > len(head):
        return False
    return _mp3_header(head, skipped)


def _mp3_header(head: bytes, at: int) -> bool:
    """ "Match an mp3 header"."""
    if len(head) - at < 4 or head[at] != 0xFF or head[at + 1] & 0xE0 != 0xE0:
        return False
    layer = (head[at + 1] & 0x06) >> 1
    bit_rate = (head[at + 2] & 0xF0) >> 4
    sample_rate = (head[at + 2] & 0x0C) >> 2
    return layer != 0 and bit_rate != 15 and sample_rate != 3 and 4 - layer == 3


def _mp3_frame_size(head: bytes) -> int:
    """ "Compute an mp3 frame size"."""
    version = (head[1] & 0x18) >> 3
    rates = _MP25_BITRATES if version & 0x01 == 0 else _MP3_BITRATES
    bit_rate = rates[(head[2] & 0xF0) >> 4] * 1000
    sample_rate = _RATES[(head[2] & 0x0C) >> 2]
    scale = 72 if version == 1 else 144
    size = bit_rate * scale // sample_rate
    return size + 1 if head[2] & 0x02 else size
