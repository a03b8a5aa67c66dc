"""One request through the proxy: which collection and date, which address, on behalf of whom."""

import base64
import binascii
import re
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import SplitResult, parse_qs, urlsplit

from armarium.access.model import EVERYTHING, Reader
from armarium.access.proxy.connection import Request
from armarium.access.requests.site import Guest, Site
from armarium.core.errors import NotFound, Refused
from armarium.core.message import Message, message
from armarium.formats.cdx.timestamps import moment
from armarium.formats.url import InvalidUrl, parse

MOST_REMEMBERED = 10_000
LONGEST = 500  # of a user's name or word
_SEPARATORS = re.compile(r"[-:T Z./]")
_COLLECTION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,199}").fullmatch


@dataclass(frozen=True)
class Choice:
    collection: str = EVERYTHING
    timestamp: str = ""  # 4 to 14 digits; empty: the newest


@dataclass(frozen=True)
class Credentials:
    """What a browser's Proxy-Authorization says: the user is a wish, the word says who it is."""

    user: str = ""
    word: str = ""

    def key(self, address: str) -> bytes:
        """By which a browser is known again; nobody can read its word from it."""
        return sha256("\0".join((address, self.user, self.word)).encode()).digest()


NOBODY = Credentials()


def credentials_of(header: str) -> Credentials:
    """RFC 7617. What cannot be read is as if nothing had been said."""
    scheme, _, encoded = header.strip().partition(" ")
    if scheme.lower() != "basic":
        return NOBODY
    try:
        said = base64.b64decode(encoded.strip(), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return NOBODY
    user, _, word = said.partition(":")
    return Credentials(user[:LONGEST].strip(), word[:LONGEST].strip())


def choice_of(user: str) -> Choice:
    """`collection`, `collection@2020`, `viewing-17`, or `@2020` for everything."""
    collection, _, date = user.partition("@")
    return chosen(collection, date)


def chosen(collection: str, date: str) -> Choice:
    """What somebody typed; raises `Refused` in words."""
    collection = collection.strip() or EVERYTHING
    if not _COLLECTION(collection):
        raise Refused(
            message("“%(name)s” cannot be the name of a collection.", name=collection[:80]),
            field="collection",
        )
    digits = _SEPARATORS.sub("", date.strip())
    if digits and (len(digits) > 14 or moment(digits) is None):
        raise Refused(
            message(
                "“%(date)s” is no date: write 2020, 2020-03, 2020-03-31 or the 14 digits of a timestamp.",
                date=date.strip()[:80],
            ),
            field="date",
        )
    return Choice(collection, digits)


class Choices:
    """What browsers have chosen on the proxy's own page; those that were not seen for longest are forgotten.

    A browser is known by its address and its credentials: two behind one address need credentials that
    differ if they want to see different dates.
    """

    def __init__(self, most: int = MOST_REMEMBERED) -> None:
        self._most = most
        self._made: OrderedDict[bytes, Choice] = OrderedDict()

    def of(self, address: str, credentials: Credentials) -> Choice:
        key = credentials.key(address)
        made = self._made.get(key)
        if made is None:
            return choice_of(credentials.user)
        self._made.move_to_end(key)
        return made

    def make(self, address: str, credentials: Credentials, choice: Choice) -> None:
        key = credentials.key(address)
        self._made[key] = choice
        self._made.move_to_end(key)
        if len(self._made) > self._most:
            self._made.popitem(last=False)


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
class ProxyRequest:
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
        raise Refused(message("The address is too long for this proxy."))
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


MOST_FIELDS = 1_000


@dataclass(frozen=True)
class Visit:
    site: Site
    asked: ProxyRequest
    guest: Guest
    choice: Choice
    token: str  # what forms of this browser carry

    @property
    def reader(self) -> Reader:
        return self.guest.reader

    @property
    def browser(self) -> bytes:
        """By which it is known again."""
        return self.asked.credentials.key(self.asked.address)

    @property
    def path(self) -> str:
        return self.asked.parts.path or "/"

    @property
    def query(self) -> dict[str, list[str]]:
        return _fields(self.asked.parts.query)

    @property
    def viewing(self) -> int:
        """The number of the viewing that this browser has chosen; raises `NotFound` if it has chosen none."""
        collection = self.site.collection(self.choice.collection, self.reader)
        if collection.viewing is None:
            raise NotFound(
                message(
                    "These commands are about a viewing. Enter viewing- and its number as the proxy's user "
                    "name, and the word that the page of the viewing shows as its password."
                )
            )
        return collection.viewing

    @property
    def form(self) -> dict[str, str]:
        """What a form of ours has sent; raises `Refused` unless it is one of this browser's."""
        fields = {name: values[0] for name, values in _fields(self.asked.body.decode("latin-1")).items()}
        if fields.get("token") != self.token:
            raise Refused(message("This form has expired. Go back, reload the page and try again."))
        return fields


def _fields(text: str) -> dict[str, list[str]]:
    try:
        return parse_qs(text, keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError as error:
        raise Refused(message("The request has values that cannot be used.")) from error
