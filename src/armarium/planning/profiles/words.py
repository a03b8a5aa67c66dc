"""The settings of a profile in words, grouped by what they are for.

Setting names are those of the crawl order; people see these words, with the name beside them as a hint.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from armarium.core.message import Message, message
from armarium.languages.speech import byte_size, number
from armarium.planning.profiles.form import Key, Kind, all_keys, shown


@dataclass(frozen=True)
class Group:
    """Settings that serve one purpose, in the order in which people meet them."""

    name: str  # for addresses
    title: Message
    about: Message  # a sentence
    keys: Mapping[str, Message]  # setting → what it is called
    open: bool = False  # the others are folded unless something in them differs


GROUPS = (
    Group(
        "reach",
        message("How far it goes"),
        message("Which addresses belong to the crawl, counted from its seeds."),
        {
            "scope.kind": message("Reach"),
            "scope.page_hops": message("Links followed from a single page"),
            "scope.suffixes": message("Endings of host names"),
            "scope.max_hops": message("Links from the seed, at most"),
            "scope.max_embed_hops": message("Steps to embedded files outside the reach"),
            "scope.widen_redirected_seeds": message("Follow a seed that moved to another host"),
            "robots": message("robots.txt"),
        },
        open=True,
    ),
    Group(
        "pace",
        message("How gently it asks"),
        message("Pauses between downloads, so that no site suffers."),
        {
            "politeness.delay_factor": message("Pause as a multiple of the download time"),
            "politeness.min_delay": message("Shortest pause, in seconds"),
            "politeness.max_delay": message("Longest pause, in seconds"),
            "politeness.server_min_delay": message("Shortest pause per server, in seconds"),
            "politeness.max_bytes_per_second": message("Bytes per second from one server, at most"),
            "queues.parallel": message("Downloads at once from one queue"),
            "queues.parallel_server": message("Downloads at once from one server"),
            "politeness.max_crawl_delay": message("Crawl-delay of robots.txt obeyed up to, in seconds"),
            "politeness.max_retry_after": message("Retry-After of a server obeyed up to, in seconds"),
        },
    ),
    Group(
        "budget",
        message("How much it collects"),
        message(
            "An object is one fetched address. At the first limit reached, collecting stops; harvests and "
            "domains add limits of their own."
        ),
        {
            "limits.max_objects": message("Objects in the whole crawl, at most"),
            "limits.max_bytes": message("Bytes in the whole crawl, at most"),
            "limits.max_seconds": message("Seconds of crawling, at most"),
            "queues.max_objects": message("Objects per queue, at most"),
            "queues.max_bytes": message("Bytes per queue, at most"),
            "limits.no_response_seconds": message("Ends after so many seconds without an answer"),
            "limits.inactivity_seconds": message("Ends after so many seconds without work"),
        },
    ),
    Group(
        "leave-out",
        message("What to include and leave out"),
        message("Addresses by pattern, and protection against endless sites."),
        {
            "scope.accept": message("Always include"),
            "scope.reject": message("Always leave out"),
            "scope.contain_traps": message("Stop crawler traps as they show"),
            "scope.max_path_depth": message("Folders in an address, at most"),
            "scope.max_repetitions": message("Repetitions in an address, at most"),
            "scope.max_url_length": message("Characters in an address, at most"),
        },
    ),
    Group(
        "discovery",
        message("Where it looks for addresses"),
        message("Scripts, sitemaps, PDF files and links that ask not to be followed."),
        {
            "extraction.javascript": message("Look for addresses in scripts"),
            "extraction.sitemaps": message("Read sitemaps"),
            "extraction.follow_nofollow": message("Follow links marked “nofollow”"),
            "extraction.favicon": message("Collect the site’s icon"),
            "extraction.max_links": message("Addresses per document, at most"),
            "extraction.max_pdf_bytes": message("Read PDF files up to, in bytes"),
            "scope.max_speculative_hops": message("Steps to files guessed in scripts, outside the reach"),
            "scope.registries": message("Additional second-level registries"),
        },
    ),
    Group(
        "files",
        message("Large files and slow servers"),
        message("When a single download is given up or cut off."),
        {
            "limits.max_download_bytes": message("Bytes of one file, at most"),
            "limits.max_download_seconds": message("Seconds of one download, at most"),
            "limits.over_limit": message("What is larger or slower"),
            "fetching.connect_seconds": message("Seconds to wait for a connection"),
            "fetching.silence_seconds": message("Seconds of silence before giving up"),
            "fetching.max_redirects": message("Redirects in a row, at most"),
            "retries.attempts": message("Attempts"),
            "retries.delay": message("Seconds before the second attempt"),
            "retries.robots_delay": message("Seconds before asking for robots.txt again"),
        },
    ),
    Group(
        "unchanged",
        message("Unchanged files"),
        message("What is not stored twice."),
        {
            "recording.duplicates": message("A file counts as unchanged by"),
            "recording.duplicates_within": message("Also within the same crawl"),
            "recording.duplicates_skip_text": message("Store text in full each time"),
            "recording.min_duplicate_bytes": message("Only files from so many bytes"),
            "recording.conditional_requests": message("Ask servers only for what changed"),
        },
    ),
    Group(
        "identity",
        message("What it says about itself"),
        message("What sites and the archive’s files are told about the crawler and your institution."),
        {
            "identity.user_agent": message("User agent"),
            "identity.product": message("Name for robots.txt"),
            "identity.contact": message("Web address for webmasters"),
            "identity.mail": message("E-mail address"),
            "identity.operator": message("Operator"),
            "identity.publisher": message("Publisher"),
            "identity.audience": message("Audience"),
            "identity.description": message("Description"),
            "identity.is_part_of": message("Part of the collection"),
        },
    ),
    Group(
        "requests",
        message("What it asks servers for"),
        message("Languages, formats, cookies and further headers of each request."),
        {
            "fetching.accept_language": message("Languages"),
            "fetching.accept": message("Formats"),
            "fetching.accept_encoding": message("Compressions"),
            "fetching.cookies": message("Accept cookies"),
            "fetching.send_referer": message("Say which page a link came from"),
            "fetching.headers": message("Further headers"),
        },
    ),
    Group(
        "order",
        message("What comes first"),
        message("The order in which addresses are collected, and what shares a queue."),
        {
            "queues.order": message("Order of pages"),
            "queues.first": message("First"),
            "queues.last": message("Last"),
            "queues.by": message("One queue for each"),
            "queues.replenish": message("Objects before another queue has its turn"),
            "queues.active": message("Queues at work at the same time"),
            "queues.error_penalty": message("Cost of a failure, in objects"),
        },
    ),
    Group(
        "recording",
        message("How it is stored"),
        message("Names, size and content of the WARC files."),
        {
            "recording.template": message("Names of files"),
            "recording.values": message("Parts of these names"),
            "recording.max_file_bytes": message("Size of a file, in bytes"),
            "recording.digest": message("Checksum"),
            "recording.metadata": message("Store metadata for each capture"),
            "recording.log_places": message("Log where each capture is stored"),
            "fetching.dns_records": message("Store answers of name servers"),
        },
    ),
    Group(
        "network",
        message("Network of the collectors"),
        message("For those who run the machines: connections, proxies, name servers, networks."),
        {
            "fetching.connections": message("Downloads at once"),
            "fetching.tls": message("Certificates"),
            "fetching.ip_version": message("IP version"),
            "fetching.dns_seconds": message("Seconds to wait for a name server"),
            "fetching.dns_servers": message("Name servers"),
            "fetching.proxy": message("Proxy"),
            "fetching.proxy_resolves": message("The proxy resolves names"),
            "fetching.bind_address": message("Own address"),
            "fetching.allowed_ranges": message("Networks that may be visited"),
            "fetching.denied_ranges": message("Networks that must not be visited"),
            "fetching.max_head_bytes": message("Bytes of a response’s headers, at most"),
            "fetching.max_decoded_bytes": message("Bytes of an unpacked document, at most"),
            "limits.min_free_disk": message("Pauses below so many free bytes"),
        },
    ),
)

#: What the values of a choice mean.
CHOICES: Mapping[str, Mapping[str, Message]] = {
    "robots": {
        "obey": message("Obey it"),
        "ignore": message("Ignore it"),
        "ignore-for-embeds": message("Ignore it for embedded files only"),
    },
    "scope.kind": {
        "page": message("The page itself"),
        "path": message("The folder of the seed"),
        "host": message("The host of the seed"),
        "domain": message("The whole domain"),
        "suffixes": message("Every host with one of the endings"),
        "any": message("Anywhere"),
    },
    "queues.by": {
        "host": message("Host"),
        "domain": message("Domain"),
        "address": message("Address of the server"),
    },
    "queues.order": {
        "hops": message("Fewest links from the seed first"),
        "path": message("Shortest path first"),
        "arrival": message("As they are found"),
    },
    "limits.over_limit": {"truncate": message("Is cut off"), "drop": message("Is not stored")},
    "fetching.tls": {
        "open": message("Accept any"),
        "normal": message("A known authority and valid dates; the name may differ"),
        "strict": message("As strict as browsers"),
    },
    "fetching.ip_version": {"any": message("Any"), "4": Message("IPv4"), "6": Message("IPv6")},
    "recording.digest": {
        "sha1": Message("SHA-1"),
        "sha256": Message("SHA-256"),
        "blake3": Message("BLAKE3"),
    },
    "recording.duplicates": {
        "none": message("Nothing: everything is stored"),
        "url": message("Address and checksum"),
        "digest": message("Checksum alone"),
    },
}
#: Amounts of bytes, which are read as 1.5 GB.
SIZES = frozenset(
    {
        *("limits.max_bytes", "limits.max_download_bytes", "limits.min_free_disk", "queues.max_bytes"),
        *("politeness.max_bytes_per_second", "fetching.max_head_bytes", "fetching.max_decoded_bytes"),
        *("recording.max_file_bytes", "recording.min_duplicate_bytes", "extraction.max_pdf_bytes"),
    }
)
#: Of settings that nobody has put into words yet.
OTHERS = Group("others", message("Other settings"), message("Named as in the crawl order."), {})


@lru_cache(maxsize=1)
def grouped() -> tuple[tuple[Group, tuple[Key, ...]], ...]:
    """All keys that a profile may say, in their groups; none is forgotten."""
    keys = {key.path: key for key in all_keys()}
    found = [(group, tuple(keys.pop(path) for path in group.keys if path in keys)) for group in GROUPS]
    return (*found, (OTHERS, tuple(keys.values()))) if keys else tuple(found)


@lru_cache(maxsize=1)
def titles() -> Mapping[str, Message]:
    return {path: title for group in GROUPS for path, title in group.keys.items()}


def title_of(path: str) -> Message:
    return titles().get(path) or Message(path)


def value_in_words(key: Key, value: object) -> Message | str | None:
    """A value as people read it; None for nothing."""
    if key.kind is Kind.YES_NO and isinstance(value, bool):
        return message("yes") if value else message("no")
    if key.kind is Kind.CHOICE and value is not None:
        return CHOICES.get(key.path, {}).get(str(value)) or str(value)
    if key.kind is Kind.NUMBER and isinstance(value, int | float):
        return byte_size(value) if key.path in SIZES else number(value, 0 if value == int(value) else 1)
    return shown(value)
