"""JSON: documents, data inside pages, linked data, web app manifests.

The text is not parsed but read string by string, each with the key before it: so what is cut off, wrapped in
a callback, nested a million deep or several documents in a row is no trouble, and costs linear time.
"""

import re
from collections.abc import Iterator

from armarium.formats.text import Kind
from armarium.harvest.extract.addresses import is_absolute, is_path, suffix
from armarium.harvest.extract.document import Document
from armarium.harvest.extract.findings import Findings
from armarium.harvest.extract.script_strings import unescaped
from armarium.harvest.model import Hop

_string = re.compile(r"\"((?:[^\"\\]++|\\.)*+)\"?+(\s*+:)?+", re.DOTALL).finditer
_KEYS = (
    "src", "href", "url", "uri", "link", "image", "img", "icon", "logo", "poster", "thumb", "thumbnail",
    "file", "images", "permalink", "avatar", "path",
)  # fmt: skip
_BEGINNINGS = ("base", "root", "prefix", "api", "endpoint", "@context", "@type", "@vocab", "$schema", "xmlns")
_LONGEST = 4096

# Linked data of schema.org, as search engines ask for it.
_SHOWN = frozenset(
    ("image", "logo", "thumbnailurl", "contenturl", "thumbnail", "photo", "primaryimageofpage", "screenshot")
)
_PICTURES = frozenset(("jpg", "jpeg", "png", "gif", "webp", "avif", "svg"))
_LINKED = frozenset(
    ("url", "sameas", "embedurl", "mainentityofpage", "item", "ispartof", "discussionurl", "@id")
)
# Under these keys even a short path is one: no placeholder, and nothing that belongs to a text.
_path_from_root = re.compile(r"/(?!/)[^\s{}<>\\^`|$]*+").fullmatch
_NAMING = frozenset(("@context", "@type", "@vocab", "target", "urltemplate", "additionaltype", "inlanguage"))


def keyed_strings(text: str) -> Iterator[tuple[str, str]]:
    """Every string that is no key, with the key before it."""
    key = ""
    for found in _string(text):
        if found[2] is not None:
            key = unescaped(found[1]) if len(found[1]) <= _LONGEST else ""
        elif 1 < len(found[1]) <= _LONGEST:
            yield key, unescaped(found[1])


def json_references(text: str) -> Iterator[str]:
    """The strings that are very likely addresses: absolute ones, and paths from the root."""
    for key, value in keyed_strings(text):
        name = key.lower()
        if "/" not in value or name.startswith(_BEGINNINGS):
            continue
        if is_absolute(value):
            if value[-1] not in "=&?":
                yield value
        # A relative path may count from the document, the page or a setting elsewhere: nobody can know.
        elif value[0] == "/" and is_path(value, certain=bool(suffix(value)) or name.endswith(_KEYS)):
            yield value


def linked_data(text: str) -> Iterator[tuple[str, Hop]]:
    """Addresses of a page's linked data: pictures are shown, the rest is linked."""
    for key, value in keyed_strings(text):
        name = key.lower()
        if name in _NAMING:
            continue
        # Relative ones count from the page (JSON-LD 1.1, 5.1); a bare word may be a name, a file is not.
        rooted = _path_from_root(value) is not None
        if not (is_absolute(value) or rooted or (suffix(value) and is_path(value, certain=True))):
            continue
        # {"image": {"@type": "ImageObject", "url": …}}: the inner key does not say what it is an address of.
        if name in _SHOWN or (name == "url" and suffix(value) in _PICTURES):
            yield value, Hop.EMBED
        elif name in _LINKED:
            yield value, Hop.LINK


def import_map(text: str) -> Iterator[str]:
    """HTML Standard, 8.1.6.1: addresses of modules; one that ends with a slash is that of a folder."""
    for _, value in keyed_strings(text):
        if value.startswith(("/", "./", "../", "http:", "https:")) and value[-1] != "/":
            yield value


def speculation_rules(text: str) -> Iterator[str]:
    """HTML Standard, 7.6.1: lists of pages that a browser may load ahead; patterns name none."""
    return (value for key, value in keyed_strings(text) if key == "urls")


class SpeculationRulesExtractor:
    """Speculation rules as files, which the header Speculation-Rules names."""

    name = "speculation-rules"

    def takes(self, document: Document) -> bool:
        return document.mime == "application/speculationrules+json"

    def read(self, document: Document, findings: Findings) -> None:
        text, _ = document.text(Kind.PLAIN)
        for url in speculation_rules(text):
            findings.add(url, Hop.LINK, "speculationrules/urls")


class WebAppManifestExtractor:
    """W3C Web Application Manifest: icons and screenshots belong to the page, the start page is a link."""

    name = "web-app-manifest"
    _SHOWN = ("src",)
    _LINKED = ("start_url", "url", "scope")

    def takes(self, document: Document) -> bool:
        if document.mime == "application/manifest+json":
            return True
        named = document.suffix == "webmanifest" or document.path.endswith(
            ("/manifest.json", "/site.webmanifest")
        )
        return named and document.body.lstrip()[:1] == b"{"

    def read(self, document: Document, findings: Findings) -> None:
        text, _ = document.text(Kind.PLAIN)
        for key, value in keyed_strings(text):
            if key in self._SHOWN:
                findings.add(value, Hop.EMBED, f"manifest/{key}")
            elif key in self._LINKED:
                findings.add(value, Hop.LINK, f"manifest/{key}")


class JsonExtractor:
    """JSON and JSONP."""

    name = "json"

    def takes(self, document: Document) -> bool:
        mime = document.media
        return (mime is not None and mime.is_json) or (
            document.vague and document.suffix in ("json", "geojson")
        )

    def read(self, document: Document, findings: Findings) -> None:
        if not document.options.javascript:
            return
        text, _ = document.text(Kind.PLAIN)
        for url in json_references(text):
            findings.add(url, Hop.SPECULATIVE, "=JSON_STRING")
