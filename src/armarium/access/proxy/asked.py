"""What a request through the proxy asks for: which address, on behalf of whom."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from armarium.access.proxy.choice import Credentials
from armarium.access.proxy.conversation import Request
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.formats.url import InvalidUrl, parse

LONGEST_URL = 16_384
TLS_PORT = 443
LOWEST_FREE_PORT = 1024  # sites on ports below are another service, or plain HTTP: nothing for a tunnel


@dataclass(frozen=True)
class Tunnel:
    """The end of a CONNECT: a host for which the authority vouches."""

    host: str  # a name in ASCII and small letters, or an IP address without brackets
    port: int
    credentials: Credentials

    @property
    def origin(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"https://{host}" if self.port == TLS_PORT else f"https://{host}:{self.port}"


@dataclass(frozen=True)
class Asked:
    method: str
    url: str  # whole, as it came but for a missing path
    headers: Mapping[str, str]  # names in lower case
    body: bytes
    address: str  # of the client
    credentials: Credentials
    tunnelled: bool

    @property
    def parts(self) -> SplitResult:
        return urlsplit(self.url)

    @property
    def host(self) -> str:
        return (self.parts.hostname or "").rstrip(".")

    @property
    def by_navigation(self) -> bool:
        """Whether a browser loads it into a window or frame.

        To sites without TLS browsers do not say it (Fetch Metadata is for trustworthy addresses only); this
        other field they send with navigation alone, to all.
        """
        destination = self.headers.get("sec-fetch-dest")
        if destination is not None:
            return destination in {"document", "iframe", "frame"}
        return self.headers.get("upgrade-insecure-requests") == "1"

    @property
    def is_part(self) -> bool:
        """Whether a page has asked for it, to use it in itself."""
        return not self.by_navigation and "referer" in self.headers


def tunnel_of(request: Request, credentials: Credentials) -> Tunnel:
    """Where a CONNECT leads (RFC 9110, 9.3.6); raises `Refused`."""
    try:
        url = parse(f"https://{request.target}/")
    except InvalidUrl as error:
        raise Refused(_not_a_host(request.target)) from error
    if not url.host or url.username or url.password or url.path != "/" or not _has_port(request.target):
        raise Refused(_not_a_host(request.target))
    port = TLS_PORT if url.port is None else int(url.port)
    if port != TLS_PORT and port < LOWEST_FREE_PORT:
        raise Refused(
            message(
                "The archive's proxy speaks only for web sites: tunnels to port %(port)s end nowhere. Use "
                "https, or http without a tunnel.",
                port=port,
            )
        )
    return Tunnel(url.host.strip("[]").rstrip("."), port, credentials)


def url_of(request: Request, tunnel: Tunnel | None) -> str:
    """The whole address; raises `Refused` unless it is one of the web."""
    target = request.target
    if len(target) > LONGEST_URL:
        raise Refused(message("The address is longer than this proxy takes."))
    if tunnel is not None and target.startswith("/"):
        return tunnel.origin + target
    if target.lower().startswith(("http://", "https://")):
        try:
            host = parse(target).host
        except InvalidUrl as error:
            raise Refused(_not_a_host(target)) from error
        if host:
            return target
    raise Refused(
        message("This is a proxy for http and https addresses; “%(target)s” is none.", target=target[:200])
    )


def is_to_the_proxy_itself(request: Request) -> bool:
    """Somebody has opened the proxy's own address as if it were a site (RFC 9112, 3.2.1)."""
    return request.target.startswith("/") and request.method in {"GET", "HEAD"}


def _has_port(target: str) -> bool:
    return target.rpartition(":")[2].isdigit()


def _not_a_host(target: str) -> Message:
    return message("“%(target)s” names no host.", target=target[:200])
