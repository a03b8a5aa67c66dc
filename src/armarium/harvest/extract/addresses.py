"""Whether a string is an address: asked wherever a document does not say so itself.

A script, a JSON document or a data-… attribute is full of strings that only look a little like addresses
(MIME types, dates, names of modules, pieces that are put together later). Each wrong guess is a request to
somebody's server that can only fail, so a string must show more than a slash.
"""

import re

# Endings of files that a page shows, links or loads. Endings that are also common names of properties in
# scripts (`.map`, `.data`, `.name`, `.ps`, `.sh`, `.id`) are not here.
_SUFFIX_WORDS = (
    "html htm xhtml shtml phtml php php3 php5 asp aspx jsp jspx jsf jhtml cfm cgi pl do action css js "
    "mjs json jsonld xml rss atom rdf xsl xslt txt csv tsv md vtt srt webmanifest appcache ics vcf kml "
    "gpx jpg jpeg jpe jfif png apng gif webp avif svg svgz bmp ico tif tiff heic jxl cur mp3 m4a ogg "
    "oga opus wav flac aac wma mid midi ram mp4 m4v webm ogv mov avi wmv flv mpg mpeg 3gp mkv m3u8 m3u "
    "mpd m4s ts f4v swf pdf doc docx xls xlsx ppt pptx odt ods odp rtf epub mobi djvu eps zip gz tgz "
    "bz2 xz 7z rar tar jar exe msi dmg apk iso deb rpm torrent woff woff2 ttf otf eot wasm glb gltf "
    "geojson topojson unity3d class"
)
KNOWN_SUFFIXES = frozenset(_SUFFIX_WORDS.split())
_PAGE_WORDS = (
    "html htm xhtml shtml phtml php php3 php5 asp aspx jsp jspx jsf jhtml cfm cgi pl do action md txt"
)
_PAGES = frozenset(_PAGE_WORDS.split())
_SHOWN_WORDS = (
    "html htm xhtml jpg jpeg png apng gif webp avif svg bmp mp3 m4a ogg oga opus wav flac mp4 m4v webm ogv "
    "mov pdf epub vtt glb"
)
_SHOWN = frozenset(_SHOWN_WORDS.split())

_absolute = re.compile(
    r"(?:https?:)?//(?P<host>(?:[a-z0-9_-]+\.)+[a-z][a-z0-9-]{1,62}\.?"
    r"|\d{1,3}(?:\.\d{1,3}){3}|localhost|\[[0-9A-Fa-f:.]+\])"
    r"(?::\d{1,5})?(?:[/?#]|$)",
    re.IGNORECASE,
).match
# Characters that no address in a script holds: space, quotes, brackets of templates, markup, patterns.
_impossible = re.compile(r"[\x00-\x20\"'<>{}|\\^`*\x7f]|\$\(|\[\[|%s|%d|\.\.\.(?!\w)|…|@@|::").search
_path = re.compile(
    r"(?P<dots>\.{1,2}/(?:\.\./)*|/(?!/))?(?P<path>[^?#]*)(?P<query>\?[^#]*)?(?:#.*)?", re.DOTALL
).fullmatch
_segment = re.compile(r"[\w~%!$&+,;=:@.()\u00a1-\U0010ffff-]+", re.ASCII).fullmatch
_MIME_TYPES = (
    "text/", "image/", "audio/", "video/", "application/", "font/", "multipart/", "message/", "model/",
    "chemical/",
)  # fmt: skip
_version_or_date = re.compile(r"[\d./:-]+").fullmatch
# An address that lacks only its scheme: taken for a path it would lead nowhere.
_host = re.compile(r"(?:www\.|[a-z0-9-]++(?:\.[a-z0-9-]++)*+(?<=\.(?:com|net|org))/)", re.IGNORECASE).match

# Names written as addresses: namespaces, vocabularies, schemas. Nobody reads them from there, and their
# servers suffer from those who do.
_NAMES = (
    "www.w3.org/1999/", "www.w3.org/2000/", "www.w3.org/1998/", "www.w3.org/2001/", "www.w3.org/2002/",
    "www.w3.org/2005/", "www.w3.org/ns/", "www.w3.org/tr/", "www.w3.org/xml/", "schema.org",
    "json-schema.org", "schemas.microsoft.com", "schemas.xmlsoap.org", "schemas.openxmlformats.org",
    "schemas.android.com", "purl.org/", "ogp.me", "rdfs.org/", "xmlns.com/", "ns.adobe.com",
    "java.sun.com/", "xml.apache.org", "www.sitemaps.org/schemas", "www.google.com/schemas",
    "search.yahoo.com/mrss", "docbook.org/ns", "reactjs.org/docs/error-decoder", "fb.me/react",
    "momentjs.com/guides", "apache.org/licenses", "www.apache.org/licenses", "opensource.org/licenses",
    "data-vocabulary.org",
    "www.topografix.com/gpx", "www.opengis.net/", "vuejs.org/", "angular.io/", "angularjs.org/",
    "errors.angularjs.org", "feross.org", "git.io/", "bit.ly/2zpo8",
)  # fmt: skip
# Hosts that stand in for another one, in examples and as a base for parsing.
_STAND_INS = frozenset(("example.com", "www.example.com", "example.org", "localhost", "127.0.0.1"))


def is_absolute(value: str) -> bool:
    """Whether it is a whole http(s) or protocol-relative URL with a host that can exist, and no mere name."""
    found = _absolute(value)
    if found is None or _impossible(value) is not None:
        return False
    behind = value[found.start("host") :].lower()
    return not behind.startswith(_NAMES) and behind.rstrip("/") not in _STAND_INS


def suffix(value: str) -> str:
    """The ending of the path's last segment if it is a known one, else empty."""
    name = value.partition("?")[0].partition("#")[0].rpartition("/")[2]
    stem, dot, ending = name.rpartition(".")
    return ending.lower() if dot and stem and ending.lower() in KNOWN_SUFFIXES else ""


def is_page(value: str) -> bool:
    """Whether it ends like a page to be read, not like a file that pages show or load."""
    return suffix(value) in _PAGES


def is_path(value: str, *, certain: bool) -> bool:
    """Whether it is a relative address. `certain`: where it stands says that it should be one."""
    if len(value) < 2 or len(value) > 2048 or _impossible(value) is not None:
        return False
    if value.startswith("//"):
        return False  # URL Standard, 4.4: a host follows, however many slashes stand before it
    found = _path(value)
    if found is None:
        return False
    lead, path, query = found["dots"], found["path"], found["query"]
    segments = [segment for segment in path.split("/") if segment]
    if not segments or not all(_segment(segment) for segment in segments):
        return False
    if _version_or_date(value) or (not lead and value.lower().startswith(_MIME_TYPES)):
        return False
    if query is not None and not _complete(query):
        return False
    if not lead and (":" in segments[0] or _host(value)):
        return False
    if suffix(path):
        return certain or bool(lead) or len(segments) > 1
    return certain and bool(lead) and _speaking(segments)


def is_listed(value: str) -> bool:
    """Whether it is the bare name of a file that pages show, as it stands in lists of pictures and pages.

    Scripts, styles and data are not meant: their names in lists are those of modules and of settings.
    """
    ending = suffix(value)
    return ending in _SHOWN and "/" not in value and not value.startswith(("index.", "."))


def _speaking(segments: list[str]) -> bool:
    """Without an ending, a path must be made of words: `/a/b` and `/$1` are pieces of something else."""
    return any(len(segment) > 2 and sum(map(str.isalpha, segment)) > 1 for segment in segments)


def _complete(query: str) -> bool:
    """`?id=` waits for something to be appended, as does `?`."""
    return len(query) > 1 and query[-1] not in "=&?"


def is_address(value: str, *, certain: bool = False) -> bool:
    """Absolute or relative."""
    return is_absolute(value) or is_path(value, certain=certain)
