"""Which queue an address goes to, and which server it leads to, as far as that is known by now."""

from armarium.core.crawl_order import CrawlOrder, QueueBy
from armarium.harvest.frontier.queue_key import host_of, queue_key
from armarium.harvest.frontier.register import Register

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
