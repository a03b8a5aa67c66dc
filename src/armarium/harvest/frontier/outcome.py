"""What came of an item that was out."""

from typing import NamedTuple


class Outcome(NamedTuple):
    status: int
    size: int = 0
    duration: float = 0.0
    retry_after: float | None = None
    crawl_delay: float | None = None
    mime: str = ""
    digest: str = ""
    port: str = ""
    aside: bool = False  # the server's trouble is that of one origin, which waits by itself; others need not
