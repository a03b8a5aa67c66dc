"""The words that all parts of the harvester share."""

import enum
from typing import NamedTuple


class Hop(enum.StrEnum):
    """How an address was found: Heritrix's letters."""

    LINK = "L"
    EMBED = "E"
    SPECULATIVE = "X"  # guessed from a script
    REDIRECT = "R"
    PREREQUISITE = "P"  # needed before something else: robots.txt, a name's address, a login
    INFERRED = "I"  # nobody names it, but it is usually there: /favicon.ico
    MANIFEST = "M"  # in a sitemap or a feed


def is_prerequisite(hops: str) -> bool:
    """Whether an address was only needed for another one: a robots.txt, wherever it redirects to, a name."""
    return hops.rstrip(Hop.REDIRECT).endswith(Hop.PREREQUISITE)


def is_counted(hops: str) -> bool:
    """Whether an address is one of the objects that a budget is for: nobody asked for a robots.txt, or for
    an icon that no page names. Else three objects might be one page, and two of these.
    """
    return hops.rstrip(Hop.REDIRECT)[-1:] not in (Hop.PREREQUISITE, Hop.INFERRED)


class Link(NamedTuple):
    """A reference as a document holds it, not yet resolved."""

    reference: str
    hop: Hop
    context: str  # where it stood: a/@href, img/@srcset, css, =JS_STRING …


class Candidate(NamedTuple):
    """An address that somebody found, before the scope decides."""

    url: str  # absolute, normal, without fragment
    hops: str  # letters from the seed to it, its own included; "" for a seed
    via: str  # where it was found; "" for a seed
    source: str  # the tag of the seed that led here
    context: str = ""


class Status(enum.IntEnum):
    """Outcomes that are no HTTP status: Heritrix's codes."""

    DNS_SUCCESS = 1
    UNTRIED = 0
    DNS_FAILED = -1
    CONNECT_FAILED = -2
    CONNECTION_LOST = -3
    TIMEOUT = -4
    RUNTIME_ERROR = -5
    PREREQUISITE_DOMAIN_FAILED = -6
    UNFETCHABLE = -7
    TOO_MANY_RETRIES = -8
    ROBOTS_PREREQUISITE_FAILED = -61
    OTHER_PREREQUISITE_FAILED = -62
    EMPTY_RESPONSE = -404
    TOO_MANY_HOPS = -4001
    TOO_MANY_EMBED_HOPS = -4002
    OUT_OF_SCOPE = -5000
    BLOCKED = -5001  # by a setting: a denied address, a filter
    QUOTA = -5003
    RUNTIME_LIMIT = -5004
    DELETED = -6000
    ROBOTS_PRECLUDED = -9998


# Free of charge: they do not count against a budget (Heritrix calls them disregarded).
DISREGARDED = frozenset(
    {
        Status.ROBOTS_PRECLUDED,
        Status.OUT_OF_SCOPE,
        Status.BLOCKED,
        Status.TOO_MANY_HOPS,
        Status.TOO_MANY_EMBED_HOPS,
        Status.DELETED,
    }
)
# What may pass: tried again after a while.
TRANSIENT = frozenset({Status.DNS_FAILED, Status.CONNECT_FAILED, Status.CONNECTION_LOST, Status.TIMEOUT})
