"""What is asked of replay, and what it answers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from armarium.access.view import View

Field = tuple[str, str]

#: How browsers name what they load into a window or frame (Fetch Metadata): there a page of ours can be read.
_DOCUMENTS = frozenset({"document", "iframe", "frame", "object", "embed", "fencedframe"})
#: Modifiers of documents; all others are of parts of a page.
PAGE_MODS = frozenset({"", "mp_", "bn_", "id_", "ir_", "tf_", "dl_"})
FRAME_MODS = frozenset({"if_", "fr_", "fw_"})
#: The bytes as they are in the record.
RAW_MODS = frozenset({"id_", "ir_", "dl_"})


@dataclass(frozen=True)
class ReplayRequest:
    """One address, as one reader asks for it."""

    view: View
    url: str
    timestamp: str = ""  # up to 14 digits; "": the newest capture
    mod: str = "mp_"
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)  # names in lower case
    body: bytes = b""
    proxied: bool = False  # through the proxy: every address stays as it was recorded
    insert: bytes = b""  # put at the head of pages that come through the proxy
    spread_days: int = 0  # the reader's own limit for parts of a page; 0: none
    language: str = ""  # of pages of ours

    @property
    def for_document(self) -> bool:
        """Whether somebody will look at the answer, rather than a page use it."""
        target = self.headers.get("sec-fetch-dest")
        if target is not None:
            return target in _DOCUMENTS
        if "mozilla/" in self.headers.get("user-agent", "").lower():
            # Without TLS browsers say only this, and only for what goes into a window or frame.
            return "upgrade-insecure-requests" in self.headers
        return self.mod in PAGE_MODS or self.mod in FRAME_MODS

    @property
    def is_page(self) -> bool:
        """A page of its own, and not a part of one: relative addresses of parts have the page's modifier."""
        return self.mod in PAGE_MODS and (self.for_document or self.is_raw or self.proxied)

    @property
    def is_raw(self) -> bool:
        return self.mod in RAW_MODS


@dataclass(frozen=True)
class Reply:
    status: int
    headers: list[Field]
    body: bytes | Iterator[bytes] = b""  # an iterator is closed by whoever stops early
    found: bool = True  # False: it is a page of ours
