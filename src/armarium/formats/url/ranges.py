"""Ranges of SURT keys: what to read of a sorted index to find a page, a path, a host or a domain."""

import enum
import re

from armarium.formats.url.surt import surt

#: A host with a port, perhaps behind two slashes, perhaps with a name and a password before it.
_host_and_port = re.compile(
    r"\s*(?://)?((?:[^/?#@\s]*@)?(?:\[[0-9a-f:.]+\]|[^/?#:@\s]+):([0-9]{1,5})(?:[/?#].*|\s*)\Z)",
    re.IGNORECASE | re.DOTALL,
).match
_HTTPS = "443"


class Match(enum.StrEnum):
    """How much of the index a question covers, as `matchType` of CDX servers."""

    EXACT = "exact"
    PREFIX = "prefix"
    HOST = "host"
    DOMAIN = "domain"  # the host and all hosts below it


def search_range(url: str, match: Match = Match.EXACT) -> tuple[str, str]:
    """First key, and first key no longer of the range: the half-open ranges of pywb's CDX server.

    The address is one that somebody asks for: see `asked_for`.

    The ends are the next characters of ASCII: `!` after the space that ends a key, `*` after `)`, `-` after
    `,`.
    """
    url = asked_for(url)
    key = surt(url)
    match match:
        case Match.EXACT:
            return key, f"{key}!"
        case Match.PREFIX:
            start = _with_end_of(url, key)
            return start, start[:-1] + chr(ord(start[-1]) + 1)
        case Match.HOST:
            host = _host_of(key)
            return f"{host})/", f"{host}*"
        case Match.DOMAIN:
            host = _host_of(key)
            # A top-level domain is no host: what begins with it is below it. With a port, or as an address
            # of IPv6, a host without a comma is one.
            is_host = "," in host or ":" in host
            return (f"{host})/" if is_host else f"{host},"), f"{host}-"


def asked_for(typed: str) -> str:
    """What somebody means who types a host and its port without a scheme.

    To a parser the host is the scheme then, and in the keys of all indexes, too; but nobody asks for that.
    """
    found = _host_and_port(typed)
    if found is None:
        return typed
    return f"{'https' if found[2] == _HTTPS else 'http'}://{found[1]}"


def unsurt(key: str) -> str:
    """`example.com/path` for `com,example)/path`; what is no such key is given back as it is."""
    host, separator, rest = key.partition(")/")
    if not separator:
        return key
    return ".".join(reversed(host.split(","))) + "/" + rest


def _with_end_of(url: str, key: str) -> str:
    """The key loses a last slash and an empty query; a prefix that was asked for with them means them."""
    for end in "/?":
        if url.endswith(end) and not key.endswith(end):
            return key + end
    return key


def _host_of(key: str) -> str:
    return key.partition(")/")[0]
