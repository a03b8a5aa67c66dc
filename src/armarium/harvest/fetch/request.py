"""The bytes of a request."""

import re
from collections.abc import Iterable

from armarium import __version__
from armarium.core.crawl_order import Fetching, Identity
from armarium.harvest.fetch.target import Target

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
