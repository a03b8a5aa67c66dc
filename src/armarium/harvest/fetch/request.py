"""What is asked for, and the request as it is sent."""

import ipaddress
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from armarium import __version__
from armarium.core.crawl_order import Fetching, Identity
from armarium.formats.url import InvalidUrl, normal, registered_domain

# --- What of an address on the web goes where: to the connection, and into the request.


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


# --- The bytes of a request.


BREAKS = re.compile(r"[\r\n\0]+")  # what would begin another header
WITHHELD = re.compile(rb"(?im)^((?:Proxy-)?Authorization: *\w+)[^\r\n]*")


def user_agent(identity: Identity) -> str:
    contact = f" +{identity.contact}" if identity.contact else ""
    return identity.user_agent.replace("{version}", __version__).replace("{contact}", contact)


def header_lines(pairs: Iterable[tuple[str, str]]) -> str:
    return "".join(f"{BREAKS.sub(' ', name)}: {BREAKS.sub(' ', value)}\r\n" for name, value in pairs)


def conditional(etag: str = "", last_modified: str = "") -> list[tuple[str, str]]:
    """Headers that ask for a page only if it is no longer the one that was captured with these."""
    pairs = [("If-None-Match", etag), ("If-Modified-Since", last_modified)]
    return [pair for pair in pairs if pair[1]]


class RequestWriter:
    """Knows what all requests of a crawl have in common."""

    def __init__(self, order: Fetching, identity: Identity) -> None:
        usual = [
            ("User-Agent", user_agent(identity)),
            ("From", identity.mail),
            ("Accept", order.accept),
            ("Accept-Language", order.accept_language),
            ("Accept-Encoding", order.accept_encoding),
        ]
        self._usual = header_lines([pair for pair in usual if pair[1]] + list(order.headers))

    def write(
        self,
        method: str,
        target: Target,
        headers: Iterable[tuple[str, str]] = (),
        body: bytes = b"",
        *,
        through_proxy: bool = False,
    ) -> bytes:
        """`through_proxy`: an HTTP proxy wants to know the whole address (RFC 9112, 3.2.2)."""
        authority, path = target.origin.authority, target.path
        if through_proxy:
            path = f"{target.origin.scheme}://{authority}{path}"
        further = header_lines(headers) if headers else ""
        if body:
            further += f"Content-Length: {len(body)}\r\n"
        head = f"{method} {path} HTTP/1.1\r\nHost: {authority}\r\n{self._usual}{further}\r\n"
        return head.encode("utf-8", "replace") + body


def as_recorded(request: bytes) -> bytes:
    """The request without passwords: what is archived is read by many and for long."""
    if b"uthorization:" not in request:
        return request
    head, end, body = request.partition(b"\r\n\r\n")
    return WITHHELD.sub(rb"\1 withheld", head) + end + body
