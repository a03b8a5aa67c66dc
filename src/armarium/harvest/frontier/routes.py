"""Which process of a crawl has which queue.

A queue begins in the process that its name points to. When its server's address is known it moves, once and
whole, to the process that the address points to: all queues of one server are then in one process, which can
keep the server's pauses. Whoever finds an address of the queue later sends it to where the name points, and
from there it is sent on.
"""

from armarium.core.crawl_order import QueueBy
from armarium.harvest.frontier.naming import Naming
from armarium.harvest.frontier.queue_key import shard_of
from armarium.harvest.frontier.store import Store


class Routes:
    def __init__(self, shard: int, shards: int, naming: Naming, store: Store) -> None:
        self._shard, self._shards = shard, shards
        self._naming = naming
        self._store = store
        self._routes = store.routes()

    def of(self, url: str) -> int:
        """The process to which an address has to go from here."""
        name = self._naming.key_of(url)
        known = self._routes.get(name)
        return shard_of(name, self._shards) if known is None else known

    def of_server(self, url: str, address: str) -> int:
        """The process that asks the server; a queue that moved once stays where it is."""
        if self._naming.key_of(url) in self._routes:
            return self._shard
        return shard_of(address, self._shards)

    def settle(self, url: str) -> None:
        """The queue of a domain stays for good: another of its servers would move it with its budget half
        spent, and nobody there would know."""
        if self._naming.by is QueueBy.DOMAIN and self._naming.key_of(url) not in self._routes:
            self.set(url, self._shard)

    def set(self, url: str, shard: int) -> None:
        name = self._naming.key_of(url)
        self._routes[name] = shard
        self._store.route(name, shard)

    def receive(self, url: str) -> int:
        """An address that another process sent: it stays here, unless its queue has moved on."""
        name = self._naming.key_of(url)
        known = self._routes.get(name)
        if known is None and shard_of(name, self._shards) != self._shard:
            self.set(url, self._shard)
        return self._shard if known is None else known
