"""Text formats by their content: pages, XML vocabularies, JSON, style sheets, scripts."""

import re

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
