"""XML that is nothing more special: data for players and galleries, OPML, search descriptions."""

import re

from armarium.formats.text import Kind
from armarium.formats.text.xml import Characters, Start, XmlReader
from armarium.harvest.extract.addresses import is_absolute, is_address, is_path, suffix
from armarium.harvest.extract.document import Document
from armarium.harvest.extract.findings import Findings
from armarium.harvest.model import Hop

_HOPS = {
    "href": Hop.LINK,
    "xlink:href": Hop.LINK,
    "htmlurl": Hop.LINK,
    "xmlurl": Hop.LINK,
    "src": Hop.EMBED,
}
# Addresses as names: of namespaces, schemas and things.
_NAMING = (
    "xmlns",
    "xsi:",
    "schemalocation",
    "rdf:about",
    "rdf:resource",
    "namespace",
    "uri",
    "targetnamespace",
)
_stylesheet = re.compile(
    r"<\?xml-stylesheet\s[^<>]*?\bhref\s*+=\s*+(?:\"([^\"<>]*+)\"|'([^'<>]*+)')[^>]*+>"
).finditer
_BEGINNING = 65_536
_LONGEST = 4096


def style_sheets(text: str, findings: Findings) -> None:
    """Associating Style Sheets with XML documents, 3: the instruction that stands before the root."""
    for found in _stylesheet(text, 0, _BEGINNING):
        findings.add(found[1] or found[2] or "", Hop.EMBED, "xml-stylesheet/@href")


class XmlExtractor:
    """Attributes and whole texts that are addresses."""

    name = "xml"

    def takes(self, document: Document) -> bool:
        mime = document.mime
        if mime.endswith(("/xml", "+xml", "/xslt", "/x-opml", "/xml-dtd")):
            return True
        return document.vague and bool(document.root) and document.body.lstrip()[:5] == b"<?xml"

    def read(self, document: Document, findings: Findings) -> None:
        text, _ = document.text(Kind.XML)
        style_sheets(text, findings)
        held = ""
        for event in XmlReader().read([text]):
            if isinstance(event, Characters):
                if len(held) <= _LONGEST:
                    held += event.text
                continue
            self._text(held.strip(), findings)
            held = ""
            if isinstance(event, Start):
                for name, value in event.attributes.items():
                    self._attribute(event.name, name, value.strip(), findings)

    def _attribute(self, element: str, name: str, value: str, findings: Findings) -> None:
        if name.startswith(_NAMING):
            return
        hop = _HOPS.get(name)
        if hop is not None:
            if is_address(value, certain=True):
                findings.add(value, hop, f"{element}/@{name}")
        elif is_absolute(value) or (suffix(value) and is_path(value, certain=True)):
            findings.add(value, Hop.SPECULATIVE, f"{element}/@{name}")

    def _text(self, text: str, findings: Findings) -> None:
        if not 4 < len(text) <= _LONGEST or ("/" not in text and "." not in text):
            return
        if is_absolute(text) or (suffix(text) and is_path(text, certain=False)):
            findings.add(text, Hop.SPECULATIVE, "=XML_TEXT")
