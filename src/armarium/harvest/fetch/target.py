"""What of an address on the web goes where: to the connection, and into the request."""

import ipaddress
import re
from functools import lru_cache
from typing import NamedTuple

from armarium.formats.url import InvalidUrl, normal, registered_domain

DEFAULT_PORTS = {"http": 80, "https": 443}
# An origin as the URL Standard writes it; a user and a password are no part of a request.
ORIGIN = re.compile(r"(https?)://(?:[^/?#@]*@)?(\[[0-9a-f:.]+\]|[^\[\]/?#:@]+)(?::([0-9]{1,5}))?")
UNSAFE = re.compile(r"[^\x21-\x7e]")


class Origin(NamedTuple):
    scheme: str
    host: str  # without brackets
    port: int
    authority: str  # for Host: the port only where it is not the default
    address: str  # where the host is an address, it; else ""

    @property
    def domain(self) -> str:
        """For cookies and credentials: the registered domain, or the host where there is none."""
        return registered_domain(self.host) or self.host


class Target(NamedTuple):
    origin: Origin
    path: str  # with the query


class Unfetchable(Exception):  # noqa: N818  (reads as what happened)
    """The address is none that HTTP can ask for."""


def target_of(url: str) -> Target:
    """Raises `Unfetchable`."""
    slash = url.find("/", 8)
    if slash < 0 or UNSAFE.search(url) or url.find("?", 8, slash) >= 0 or url.find("#", 8, slash) >= 0:
        url = _normal(url)
        slash = url.find("/", 8)
    return Target(origin_of(url[:slash]), url[slash:].partition("#")[0])


def _normal(url: str) -> str:
    try:
        return normal(url)
    except InvalidUrl as error:
        raise Unfetchable(str(error)) from None


@lru_cache(maxsize=16_384)
def origin_of(text: str) -> Origin:
    found = ORIGIN.fullmatch(text)
    if found is None:
        raise Unfetchable(f"{text!r} is not the beginning of an http or https address.")
    scheme, bracketed, digits = found.groups()
    host = bracketed.strip("[]")
    port = int(digits) if digits else DEFAULT_PORTS[scheme]
    if not 0 < port < 65_536:
        raise Unfetchable(f"{text!r} has a port that no server can have.")
    authority = bracketed if port == DEFAULT_PORTS[scheme] else f"{bracketed}:{port}"
    return Origin(scheme, host, port, authority, host if is_address(host) else "")


def is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
