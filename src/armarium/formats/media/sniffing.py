"""What a browser takes a resource for: WHATWG MIME Sniffing, sections 5, 7 and 8."""

import re
from collections.abc import Callable

from armarium.formats.media.mime_type import MimeType, parse_mime_type
from armarium.formats.media.signatures import (
    archive_type,
    audio_or_video_type,
    image_type,
    scriptable,
    unscriptable,
)

# 5.2: "read the resource header": 1445 bytes "is sufficient for deterministically computing" every type
RESOURCE_HEADER = 1445
_UNKNOWN = frozenset(("unknown/unknown", "application/unknown", "*/*"))
# 5.1: what old Apaches said about every file they did not know; exactly so, byte for byte
_APACHE_BUG = frozenset(
    (
        "text/plain",
        "text/plain; charset=ISO-8859-1",
        "text/plain; charset=iso-8859-1",
        "text/plain; charset=UTF-8",
    )
)
# 3: "binary data byte"
_BINARY = frozenset((*range(0x09), 0x0B, *range(0x0E, 0x1B), *range(0x1C, 0x20)))
_BINARY_TABLE = bytes(sorted(_BINARY))


def _everything(_: MimeType) -> bool:
    return True


def sniff(
    data: bytes,
    content_type: str | None = None,
    *,
    provided_type: str | None = None,
    no_sniff: bool = False,
    supported: Callable[[MimeType], bool] = _everything,
) -> MimeType:
    """The "computed MIME type" of a resource.

    ``content_type`` is the header field, ``provided_type`` what another source (a file system, say) says;
    ``supported`` tells which image and audio types the browser knows.
    """
    head = data[:RESOURCE_HEADER]
    supplied = parse_mime_type(content_type or provided_type or "")
    apache = provided_type is None and content_type in _APACHE_BUG
    if supplied is not None and (supplied.is_xml or supplied.is_html):
        return supplied
    if supplied is None or supplied.essence in _UNKNOWN:
        return _essence(unknown_type(head, sniff_scriptable=not no_sniff))
    if no_sniff:
        return supplied
    if apache:
        return _essence(text_or_binary(head))
    if supported(supplied):
        matched: str | None = None
        if supplied.type == "image":
            matched = image_type(head)
        elif supplied.is_audio_or_video:
            matched = audio_or_video_type(head)
        if matched is not None:
            return _essence(matched)
    return supplied


def unknown_type(head: bytes, *, sniff_scriptable: bool = True) -> str:
    """7.1 "Identifying a resource with an unknown MIME type"."""
    found = (
        (scriptable(head) if sniff_scriptable else None)
        or unscriptable(head)
        or image_type(head)
        or audio_or_video_type(head)
        or archive_type(head)
    )
    if found is not None:
        return found
    return "application/octet-stream" if has_binary(head) else "text/plain"


def text_or_binary(head: bytes) -> str:
    """7.2 "Sniffing a mislabeled binary resource"."""
    if head.startswith((b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf")) or not has_binary(head):
        return "text/plain"
    return "application/octet-stream"


def has_binary(head: bytes) -> bool:
    """Whether there is a byte that no text has."""
    return len(head.translate(None, _BINARY_TABLE)) != len(head)


def _essence(mime: str) -> MimeType:
    major, _, minor = mime.partition("/")
    return MimeType(major, minor)


# --- Text formats by their content: pages, XML vocabularies, JSON, style sheets, scripts.


TEXT_BYTES = 16_384
_STYLE_BYTES = 4_096

# After a declaration, comments and a document type: the name of the first element, without its prefix.
_SKIPPED = re.compile(
    r"\s+|<\?.{0,4000}?\?>|<!--.{0,8000}?-->|<!DOCTYPE[^>\[]{0,2000}(?:\[[^\]]{0,4000}\]\s*)?>",
    re.DOTALL | re.IGNORECASE,
)
_ROOT = re.compile(r"<(?:[A-Za-z_][\w.-]{0,60}:)?([A-Za-z_][\w.-]{0,60})([^>]{0,2000})")
_DOCTYPE_HTML = re.compile(r"<!DOCTYPE\s+html", re.IGNORECASE)
_XML_ROOTS = {
    "svg": "image/svg+xml",
    "rss": "application/rss+xml",
    "feed": "application/atom+xml",
    "rdf": "application/rdf+xml",
    "kml": "application/vnd.google-earth.kml+xml",
    "gpx": "application/gpx+xml",
    "math": "application/mathml+xml",
    "smil": "application/smil+xml",
    "mpd": "application/dash+xml",
    "opensearchdescription": "application/opensearchdescription+xml",
}
_HTML_ELEMENTS = frozenset(
    re.findall(
        r"\w+",
        "html head body title meta link script style base iframe frameset noscript div span p a b i br hr "
        "h1 h2 h3 h4 h5 h6 table tr td tbody center font form img input ul ol li dl pre article section "
        "header footer nav main blockquote strong em u tt small big object embed map area marquee label "
        "select textarea button video audio canvas",
    )
)
_JSON = re.compile(
    r"\s*(?:\{\s*(?:\}|\"(?:[^\"\\\n]|\\.){0,1000}\"\s*:)"
    r"|\[\s*(?:\]|[{\[]|-?\d|\"(?:[^\"\\\n]|\\.){0,1000}\"\s*[,\]]|true\b|false\b|null\b))"
)
# One value on each line, the first line whole
_JSON_LINES = re.compile(r"\s*(?:\{[^\n]*\}|\[[^\n]*\])[ \t]*\r?\n\s*(?:\{|\[)")
_CSS = re.compile(
    r"@(?:charset|import|media|font-face|namespace|keyframes|supports|page)\b"
    r"|[\w\])\"'*-]\s{0,100}\{\s{0,100}(?:/\*[^*]{0,300}\*/\s{0,100})?[-\w]{2,40}\s{0,20}:[^;{}]{1,400}[;}]"
)
_JAVASCRIPT = re.compile(
    r"\bfunction\b\s*[\w$]{0,60}\s*\(|\b(?:var|let|const)\s+[\w$]{1,60}\s*[=;,]|=>\s*[{(\w]"
    r"|\bdocument\.\w|\bwindow\.\w"
    r"|[\"']use strict[\"']|\bimport\s+[\w{*][^;]{0,200}\bfrom\s*[\"']"
    r"|\bexport\s+(?:default|const|function)\b"
    r"|\bself\.__\w|\$\(|\breturn\b[^;]{0,200};"
)
_PLAYLISTS = (
    ("#EXTM3U", "application/vnd.apple.mpegurl"),
    ("WEBVTT", "text/vtt"),
    ("BEGIN:VCALENDAR", "text/calendar"),
    ("BEGIN:VCARD", "text/vcard"),
)


def text_type(text: str) -> str | None:
    """The type that the beginning of a text shows, or None where only its name or its server can tell."""
    text = text[:TEXT_BYTES].lstrip("\ufeff")
    for beginning, mime in _PLAYLISTS:
        if text.startswith(beginning):
            return mime
    if text.lstrip()[:1] == "<":
        return _markup_type(text)
    if _JSON.match(text):
        return "application/x-ndjson" if _JSON_LINES.match(text) else "application/json"
    return None


def style_or_script(text: str) -> str | None:
    """Whether a text is rather a style sheet or rather a script; None when nothing speaks for either."""
    text = text[:_STYLE_BYTES]
    script = _JAVASCRIPT.search(text)
    style = _CSS.search(text)
    if script and (style is None or len(_JAVASCRIPT.findall(text)) >= len(_CSS.findall(text))):
        return "text/javascript"
    return "text/css" if style else None


def _markup_type(text: str) -> str | None:
    at = 0
    declared = text.lstrip().startswith("<?xml")
    page = False
    while found := _SKIPPED.match(text, at):
        page = page or _DOCTYPE_HTML.match(text, found.start()) is not None
        at = found.end()
    root = _ROOT.match(text, at)
    name = root[1].lower() if root else ""
    if name == "html" or page:
        xhtml = declared and root is not None and "www.w3.org/1999/xhtml" in root[2]
        return "application/xhtml+xml" if xhtml else "text/html"
    if name in _XML_ROOTS:
        return _XML_ROOTS[name]
    if declared:
        return "text/xml"
    if name in _HTML_ELEMENTS:
        return "text/html"
    return "text/xml" if root and "xmlns" in root[2] else None
