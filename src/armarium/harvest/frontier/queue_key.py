"""Which queue an address belongs to, and which process of the crawl."""

import re

import xxhash

from armarium.core.crawl_order import QueueBy
from armarium.formats.url import registered_domain

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
