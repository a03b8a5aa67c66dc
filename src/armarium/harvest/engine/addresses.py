"""The parts of an address that the engine needs for every visit, cut out without parsing it anew."""

import ipaddress
from functools import lru_cache

from armarium.formats.url import InvalidUrl, parse, resolve


def origin_of(url: str) -> str:
    """Scheme, host and port of a normal http or https address."""
    end = url.find("/", url.find("//") + 2)
    return url if end < 0 else url[:end]


@lru_cache(maxsize=65_536)
def host_of(origin: str) -> str:
    """The host of an origin; "" if this is none that can be fetched."""
    if not origin.startswith(("http://", "https://")):
        return ""
    try:
        return parse(origin).host or ""
    except InvalidUrl:
        return ""


def resolved_location(url: str, location: str) -> str:
    """Where a redirect leads, without fragment; "" if that is no address."""
    try:
        return resolve(url, location).partition("#")[0]
    except InvalidUrl:
        return ""


def told_location(url: str, location: str) -> str:
    """Where a redirect says that it leads, also if that is no address: then the words of the server."""
    return resolved_location(url, location) or location


def is_link_local(address: str) -> bool:
    """Addresses of this very cable: where clouds keep the secrets of their machines."""
    try:
        return ipaddress.ip_address(address.partition("%")[0]).is_link_local
    except ValueError:
        return False


def is_inner(address: str) -> bool:
    """Whether an address is of no use outside of a machine or an inner network."""
    try:
        return not ipaddress.ip_address(address.partition("%")[0]).is_global
    except ValueError:
        return False
