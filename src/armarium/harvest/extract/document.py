"""A response as the extractors see it."""

import re
from functools import cached_property, lru_cache
from typing import Protocol

from armarium.core.crawl_order import Extraction
from armarium.formats.http import Response
from armarium.formats.media import MimeType, parse_mime_type
from armarium.formats.text import Kind, charset_of_content_type, decode, encoding_for
from armarium.harvest.extract.findings import Findings

# The name of the first element, past declarations, comments and the document type.
_ROOT = re.compile(
    rb"(?:\s++|\xef\xbb\xbf|<\?[^>]*+>|<!--(?:[^-]++|-(?!->))*+-->|<![A-Za-z][^\[>]*+(?:\[[^\]]*+\][^>]*+)?>)*+"
    rb"<(?:[A-Za-z0-9_.-]{1,64}:)?([A-Za-z][A-Za-z0-9_.-]{0,64})"
)
_ROOT_WITHIN = 16_384
# Types that say nothing: what lies behind is told by the beginning and by the name.
_VAGUE = frozenset(
    (
        "",
        "text/plain",
        "application/octet-stream",
        "binary/octet-stream",
        "application/unknown",
        "unknown/unknown",
    )
)
# The same few for all responses of a site.
_parsed = lru_cache(maxsize=64)(parse_mime_type)
_charset = lru_cache(maxsize=64)(charset_of_content_type)


class Document:
    """One response: where it came from, what it is said to be, and its decoded body."""

    def __init__(
        self, url: str, head: Response | None, mime: str, body: bytes, hop: str, options: Extraction, via: str
    ) -> None:
        self.url = url
        self.head = head
        self.mime = mime.partition(";")[0].strip().lower()
        self.body = body
        self.hop = hop  # letters from the seed; the last one is this document's
        self.options = options
        self.via = via

    @property
    def vague(self) -> bool:
        """Whether its type says nothing."""
        return self.mime in _VAGUE

    @property
    def media(self) -> MimeType | None:
        """Its type, parsed."""
        return _parsed(self.mime)

    @property
    def charset(self) -> str | None:
        """What the server declared."""
        declared = self.head.content_type if self.head is not None else None
        return _charset(declared) if declared else None

    @cached_property
    def root(self) -> str:
        """The first element's name without prefix, in lower case; empty when it does not begin as markup."""
        beginning = self.body
        if beginning[:2] in (b"\xfe\xff", b"\xff\xfe", b"<\0", b"\0<"):
            beginning = beginning[:_ROOT_WITHIN].replace(b"\0", b"").strip(b"\xfe\xff")
        found = _ROOT.match(beginning, 0, _ROOT_WITHIN)
        return found[1].decode("ascii").lower() if found else ""

    @cached_property
    def path(self) -> str:
        """The path of its URL."""
        behind = self.url.partition("#")[0].partition("?")[0].partition("://")[2]
        return behind[slash:] if (slash := behind.find("/")) >= 0 else ""

    @property
    def suffix(self) -> str:
        """How its name ends, in lower case and without the dot; empty when it has no such end."""
        name = self.path.rpartition("/")[2]
        return name.rpartition(".")[2].lower() if "." in name else ""

    def encoding(self, kind: Kind) -> str:
        """The name of the encoding."""
        return encoding_for(self.body, declared_charset=self.charset, kind=kind)[0]

    def text(self, kind: Kind) -> tuple[str, str]:
        """The characters and the name of the encoding."""
        decoded = decode(self.body, declared_charset=self.charset, kind=kind)
        return decoded.text, decoded.encoding


class Extractor(Protocol):
    """One line of the table: what it takes, and how it reads it."""

    name: str

    def takes(self, document: Document) -> bool:
        """Whether this is what the document is."""
        ...

    def read(self, document: Document, findings: Findings) -> None:
        """Add what the document refers to."""
        ...
