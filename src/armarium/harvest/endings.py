"""Why there are no more captures than there are: of a domain, and of the seeds of one tag."""

from collections import Counter
from collections.abc import Sequence

from armarium.core.collecting import SeedVerdict, common_fault
from armarium.core.crawl_order import CrawlOrder
from armarium.formats.url import registered_domain
from armarium.harvest.frontier import Frontier, QueueReport
from armarium.harvest.frontier.queue_names import host_of
from armarium.harvest.reports.seeds import SeedBook
from armarium.harvest.reports.summary import Ending

MOST_QUEUES = 1_000_000


def queues_of(frontiers: Sequence[Frontier]) -> list[QueueReport]:
    """All of them, the longest first."""
    found = [queue for frontier in frontiers for queue in frontier.biggest(MOST_QUEUES)]
    return sorted(found, key=lambda queue: -queue.queued)


def _limit(*, by_bytes: bool) -> str:
    return "max-bytes" if by_bytes else "max-objects"


class DomainEndings:
    def __init__(self, frontiers: Sequence[Frontier], order: CrawlOrder) -> None:
        self.queues: dict[str, QueueReport] = {}
        self._by_domain: dict[str, list[QueueReport]] = {}
        self._blocked = {server.address for frontier in frontiers for server in frontier.blocked_servers()}
        self._shelved: Counter[str] = Counter()  # by queue
        self._by_bytes: set[str] = set()  # queues with addresses that a budget of bytes left there
        for queue in queues_of(frontiers):
            self.queues[queue.name] = queue
            domain = registered_domain(queue.name, order.scope.registries) or queue.name
            self._by_domain.setdefault(domain, []).append(queue)
        for frontier in frontiers:
            for source, name, number in frontier.shelved_by_source():
                self._shelved[name] += number
                if frontier.purses[source].spent_by_bytes:
                    self._by_bytes.add(name)

    def of_domain(self, domain: str) -> Ending:
        queues = self._by_domain.get(domain, [])
        shelved = sum(self._shelved[queue.name] for queue in queues)
        if shelved:
            by_bytes = any(queue.name in self._by_bytes for queue in queues)
            return Ending(_limit(by_bytes=by_bytes), shelved + sum(queue.queued for queue in queues))
        answered = any(queue.finished - queue.failed for queue in queues)
        if queues and not answered and not any(queue.queued for queue in queues):
            return Ending("unreachable")
        return self.of_rest(queues, sum(queue.queued for queue in queues))

    def of_rest(self, queues: Sequence[QueueReport], remaining: int) -> Ending:
        """Why so many addresses were left in queues, if there are any."""
        # A crawl may end before it notices that a queue has nothing left to spend.
        spent = [
            queue for queue in queues if queue.queued and queue.budget.is_spent(queue.objects, queue.bytes)
        ]
        if spent:
            by_bytes = any(queue.max_bytes is not None and queue.bytes >= queue.max_bytes for queue in spent)
            return Ending(_limit(by_bytes=by_bytes), remaining)
        if any(queue.address in self._blocked for queue in queues if queue.address):
            return Ending("blocked", remaining)
        return Ending("crawl-ended", remaining) if remaining else Ending()


class SourceEndings:
    """By the tag of seeds: what they led to on other sites counts as well, and what became of themselves."""

    def __init__(
        self, frontiers: Sequence[Frontier], order: CrawlOrder, domains: DomainEndings, seeds: SeedBook
    ) -> None:
        self._domains = domains
        self._shelved: Counter[str] = Counter()
        self._by_bytes = {
            tag for frontier in frontiers for tag, purse in frontier.purses.items() if purse.spent_by_bytes
        }
        self._left: dict[str, Counter[str]] = {}  # by source and queue
        for frontier in frontiers:
            for source, _, number in frontier.shelved_by_source():
                self._shelved[source] += number
            for source, queue, number in frontier.left_by_source():
                self._left.setdefault(source, Counter())[queue] += number
        self._sites: dict[str, set[str]] = {}
        self._verdicts: dict[str, list[SeedVerdict]] = {}
        for seed in order.seeds:
            tag, host = seed.tag or seed.url, host_of(seed.url)
            self._sites.setdefault(tag, set()).add(registered_domain(host, order.scope.registries) or host)
            self._verdicts.setdefault(tag, []).append(seeds.end_of(seed.url).verdict)

    def of_source(self, tag: str) -> Ending:
        left = self._left.get(tag, Counter())
        if self._shelved[tag]:
            return Ending(_limit(by_bytes=tag in self._by_bytes), self._shelved[tag] + left.total())
        if left:
            queues = [self._domains.queues[name] for name in left if name in self._domains.queues]
            return self._domains.of_rest(queues, left.total())
        fault = common_fault(self._verdicts.get(tag, ()))
        if fault is not None:
            return Ending(str(fault))
        if any(self._domains.of_domain(site).reason == "blocked" for site in self._sites.get(tag, ())):
            return Ending("blocked")
        return Ending()
