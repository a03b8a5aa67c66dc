"""The registered domain: what somebody registered with a registry, and may be asked about.

By the public suffix list (https://publicsuffix.org/list/), extended by an institution's own list of
second-level registries: in most countries some name such as `asso.fr` is a registry although the list does
not say so.
"""

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

from publicsuffixlist import PublicSuffixList

from armarium.formats.url.whatwg import InvalidUrl, parse

_LONGEST_LABEL, _LONGEST_NAME = 63, 253  # RFC 1035, 2.3.4, without the root's own dot
# URL Standard, "ends in a number": such a host is an IPv4 address or nothing.
_ends_in_number = re.compile(r"(?:.*\.)?(?:[0-9]+|0[xX][0-9A-Fa-f]*)").fullmatch


def registered_domain(
    url_or_host: str, registries: Collection[str] = (), *, private: bool = True
) -> str | None:
    """`example.asso.fr` for `https://www.example.asso.fr/page`; None for an address, one label, or a suffix.

    A host keeps the form it came in, international or punycode, in small letters; a URL's is in punycode.
    `registries` are suffixes in the syntax of the list: `asso.fr`, `*.example` for all below, `!www.example`
    for an exception; they go before the list. Without `private`, hosting services such as `github.io`, which
    are in the list's private section, count as ordinary domains.
    """
    labels = _labels(url_or_host)
    if labels is None:
        return None
    suffix = _suffix_length(tuple(labels), tuple(registries), private)
    return ".".join(labels[-suffix - 1 :]) if suffix < len(labels) else None


def public_suffix(url_or_host: str, registries: Collection[str] = (), *, private: bool = True) -> str | None:
    """`asso.fr` for `https://www.example.asso.fr/page`; None for an address and for what is no host."""
    labels = _labels(url_or_host, fewest=1)
    if labels is None:
        return None
    return ".".join(labels[-_suffix_length(tuple(labels), tuple(registries), private) :])


def fits_dns(host: str) -> bool:
    """Whether the DNS can hold this name: labels of 1 to 63 characters, 253 in all (RFC 1035, 2.3.4).

    The URL Standard does not ask (its beStrict is false), but a name that does not fit need not be looked up.
    """
    name = host.removesuffix(".")
    return len(name) <= _LONGEST_NAME and all(0 < len(label) <= _LONGEST_LABEL for label in name.split("."))


def _labels(url_or_host: str, fewest: int = 2) -> list[str] | None:
    host = _host(url_or_host)
    if host is None or len(host) > 4 * _LONGEST_NAME or _ends_in_number(host) or ":" in host:
        return None
    labels = host.removesuffix(".").split(".")
    return labels if len(labels) >= fewest and all(labels) else None


def _host(url_or_host: str) -> str | None:
    if not re.search(r"[/:?#@\s%]", url_or_host):
        return re.sub("[。．｡]", ".", url_or_host).lower()  # IDNA: these, too, are dots
    try:
        return parse(url_or_host).host
    except InvalidUrl:
        return None


@lru_cache(maxsize=65536)
def _suffix_length(labels: tuple[str, ...], registries: tuple[str, ...], private: bool) -> int:
    """How many labels of the name are public suffix; at least one, as the list's implicit rule `*` has it."""
    suffix = _list(private).publicsuffix(".".join(labels))
    listed = suffix.count(".") + 1 if suffix else 1
    return _own_suffix_length(labels, _rules(registries), listed)


@lru_cache(maxsize=2)
def _list(private: bool) -> PublicSuffixList:
    return PublicSuffixList(only_icann=not private)


@lru_cache(maxsize=64)
def _rules(registries: tuple[str, ...]) -> frozenset[str]:
    """The institution's rules in both forms, international and punycode."""
    rules = {rule.strip().lower().strip(".") for rule in registries}
    return frozenset(rules | {_in_punycode(rule) for rule in rules}) - {""}


def _in_punycode(rule: str) -> str:
    mark = rule[: 2 if rule.startswith("*.") else 1 if rule.startswith("!") else 0]
    try:
        return mark + (parse(f"http://{rule[len(mark) :]}/").host or "")
    except InvalidUrl:
        return rule


def _own_suffix_length(labels: Sequence[str], rules: frozenset[str], listed: int) -> int:
    """The list's algorithm over the institution's rules: an exception prevails, else the longest match."""
    longest = listed
    for length in range(len(labels), 0, -1):
        name = ".".join(labels[-length:])
        if f"!{name}" in rules:
            return length - 1
        above = ".".join(labels[1 - length :]) if length > 1 else ""
        if name in rules or (length > 1 and f"*.{above}" in rules):
            longest = max(longest, length)
    return longest
