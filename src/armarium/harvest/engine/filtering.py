"""A filter added while the crawl runs: for what is still to be found, and for what waits already."""

from collections.abc import Callable

from armarium.formats.url import registered_domain
from armarium.harvest.engine.addresses import host_of, origin_of
from armarium.harvest.engine.visiting import Parts
from armarium.harvest.scope.filters import FilterSet


def add_filter(parts: Parts, pattern: str, *, accept: bool = False, domain: str = "", why: str = "") -> int:
    """From now on; how many addresses it took out of the queues. Raises `BadFilter`."""
    parts.scope.add_filter(pattern, accept=accept, domain=domain)
    queued = 0
    if not accept:
        queued = parts.frontier.delete(found_by(parts, pattern, domain), now=parts.clock())
    parts.changes.filtered(pattern, accept=accept, domain=domain, queued=queued, why=why)
    parts.discovery.forget()
    return queued


def found_by(parts: Parts, pattern: str, domain: str) -> Callable[[str], bool]:
    """Whether a filter finds an address; raises `BadFilter`."""
    filters = FilterSet((pattern,))
    registries = parts.order.scope.registries
    domain = domain.removeprefix("www.")

    def found(url: str) -> bool:
        if not filters.find(url) or parts.robots.is_awaited(url):
            return False  # a robots.txt that others wait for is no page to be kept out
        host = host_of(origin_of(url)).removeprefix("www.")
        return not domain or domain in (host, registered_domain(host, registries))

    return found
