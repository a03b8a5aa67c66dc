"""Which queue an address goes to, and which server it leads to, as far as that is known by now."""

import re

import xxhash

from armarium.core.crawl_order import CrawlOrder, QueueBy
from armarium.formats.url import registered_domain
from armarium.harvest.frontier.register import Register
from armarium.harvest.frontier.store import Store

# --- Which queue an address belongs to, and which process of the crawl.


# Of a URL in normal form; `dns:` and the like have no slashes, and what they name stands in the host's place.
_host = re.compile(r"[a-z][a-z0-9+.-]*:(?://(?:[^/?#@]*@)?)?(\[[^\]]*\]|[^:/?#]*)").match
_port = re.compile(r":(\d+)").match


def host_of(url: str) -> str:
    """The host as the URL spells it, without user and port."""
    found = _host(url)
    return found[1] if found else ""


def port_of(url: str) -> str:
    """The port as the URL spells it; where it names none, the scheme stands for it."""
    found = _host(url)
    behind = url[found.end() :] if found else ""
    port = _port(behind)
    return port[1] if port else url.partition(":")[0]


def queue_key(host: str, by: QueueBy, registries: tuple[str, ...] = ()) -> str:
    """The queue's name as far as the host tells it; a server's address is learnt later."""
    if by is QueueBy.DOMAIN:
        return registered_domain(host, registries) or host
    return host


def shard_of(key: str, shards: int) -> int:
    """Which of the crawl's processes owns a queue: the same answer in every process and every version."""
    return xxhash.xxh3_64_intdigest(key.encode()) % shards


# --- Which queue an address goes to, and which server it leads to, as far as that is known by now.


_HOSTS_IN_MEMORY = 100_000


class Naming:
    def __init__(self, order: CrawlOrder, register: Register) -> None:
        self.by = order.queues.by
        self._registries = order.scope.registries
        self._register = register
        self._queues: dict[str, str] = {}  # by host
        self._addresses: dict[str, str] = {}  # by host

    def queue_of(self, url: str) -> str:
        host = host_of(url)
        name = self._queues.get(host)
        if name is None:
            name = queue_key(host, self.by, self._registries)
            if self.by is QueueBy.ADDRESS:
                name = self._register.merged_into(name)
            _keep(self._queues, host, name)
        return name

    def key_of(self, url: str) -> str:
        """The name of the queue by what the host alone tells: the same in every process of a crawl."""
        return queue_key(host_of(url), self.by, self._registries)

    def address_of(self, url: str) -> str:
        """Empty: not known yet, or no longer."""
        return self._addresses.get(host_of(url), "")

    def learn(self, url: str, address: str) -> None:
        host = host_of(url)
        _keep(self._addresses, host, address)
        if self.by is QueueBy.ADDRESS:
            _keep(self._queues, host, address)


def _keep(known: dict[str, str], host: str, value: str) -> None:
    if len(known) >= _HOSTS_IN_MEMORY:
        known.clear()
    known[host] = value


# --- Which process of a crawl has which queue.
#
# A queue begins in the process that its name points to. When its server's address is known it moves, once and
# whole, to the process that the address points to: all queues of one server are then in one process, which
# can
# keep the server's pauses. Whoever finds an address of the queue later sends it to where the name points, and
# from there it is sent on.


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
