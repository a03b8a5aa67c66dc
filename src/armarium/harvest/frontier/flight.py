"""An item that is out."""

from armarium.harvest.frontier.queue import Queue
from armarium.harvest.frontier.servers import Server
from armarium.harvest.frontier.sources import Purse


class Flight:
    __slots__ = ("aside", "purse", "queue", "server")

    def __init__(self, queue: Queue, server: Server | None, purse: Purse | None) -> None:
        self.purse = purse  # None: nobody pays for it
        self.queue = queue
        self.server = server  # None: not known yet
        self.aside = False  # others of its queue need not wait for it
