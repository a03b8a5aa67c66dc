"""An item that is out, and what came of it."""

from typing import NamedTuple

from armarium.harvest.frontier.queue import Queue
from armarium.harvest.frontier.server import Server
from armarium.harvest.frontier.sources import Purse


class Outcome(NamedTuple):
    """What came of an item that was out."""

    status: int
    size: int = 0
    duration: float = 0.0
    retry_after: float | None = None
    crawl_delay: float | None = None
    mime: str = ""
    digest: str = ""


class Flight:
    __slots__ = ("purse", "queue", "server")

    def __init__(self, queue: Queue, server: Server | None, purse: Purse | None) -> None:
        self.purse = purse  # None: nobody pays for it
        self.queue = queue
        self.server = server  # None: not known yet
