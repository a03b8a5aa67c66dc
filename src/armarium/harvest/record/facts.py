"""What a crawl knows of a capture beside the bytes, and what it is told when those are recorded."""

from collections.abc import Sequence
from typing import NamedTuple

BY_DIGEST = "digest"
BY_SERVER = "server-not-modified"


class Outlink(NamedTuple):
    """An address found in a capture, as the metadata record keeps it."""

    url: str
    hop: str
    context: str


class CaptureFacts(NamedTuple):
    """How a capture came about."""

    hops: str = ""
    via: str = ""
    source: str = ""
    seed: bool = False
    charset: str = ""
    outlinks: Sequence[tuple[str, str, str]] = ()  # url, hop letter, context
    noted: Sequence[str] = ()  # words for the log: what of its links was left out


class Recorded(NamedTuple):
    """Where a capture is, and what it turned out to be."""

    filename: str  # as the file will be called once it is sealed
    offset: int
    payload_digest: str  # labelled; "" where there is no payload
    length: int  # of the message as received
    duplicate: str | None  # "digest" or "server-not-modified": a revisit record stands for it
    content_size: int  # of the payload: the body without its transfer coding
    record_length: int = -1  # in the file

    @property
    def annotations(self) -> tuple[str, ...]:
        """What the crawl log says of it."""
        return () if self.duplicate is None else (f"duplicate:{self.duplicate}",)
