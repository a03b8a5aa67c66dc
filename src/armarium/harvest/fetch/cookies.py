"""Cookies (RFC 6265), kept by registered domain, and no more of them than a server can need."""

import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from armarium.core.late import late
from armarium.formats.url import registered_domain
from armarium.harvest.fetch.request import Target

if TYPE_CHECKING:
    from armarium.formats.text.dates import parse_date
else:
    parse_date = late("armarium.formats.text.dates:parse_date")

MOST_BYTES = 64 * 1024 * 1024  # of all cookies together
OVERHEAD = 400  # bytes that a cookie takes besides its text
MOST_PER_DOMAIN = 50  # RFC 6265, 6.1: at least so many
LONGEST_COOKIE = 4096
LONGEST_HEADER = 8192  # servers refuse requests with more
FIRST_LINE = "# Netscape HTTP Cookie File"
HTTP_ONLY = "#HttpOnly_"
MAX_AGE = re.compile(r"-?[0-9]+", re.ASCII)


@dataclass(slots=True)
class Cookie:
    name: str
    value: str
    domain: str  # without a dot in front
    path: str = "/"
    host_only: bool = True
    secure: bool = False
    expires: float | None = None  # seconds since 1970; None: with the crawl
    pinned: bool = (
        False  # from a file: a server may not replace it, or a login would be lost at the first page
    )

    def goes_to(self, host: str, path: str, *, secure: bool, now: float) -> bool:
        if self.expires is not None and self.expires <= now:
            return False
        if self.secure and not secure:
            return False
        if host != self.domain and (self.host_only or not host.endswith("." + self.domain)):
            return False
        return path_matches(path, self.path)


def path_matches(path: str, prefix: str) -> bool:
    """RFC 6265, 5.1.4."""
    if not path.startswith(prefix):
        return False
    return len(path) == len(prefix) or prefix.endswith("/") or path[len(prefix)] in "/?"


Key = tuple[str, str, str]  # domain, path, name


class CookieJar:
    def __init__(self) -> None:
        self._domains: dict[str, dict[Key, Cookie]] = {}  # the oldest domain first
        self._size = 0  # bytes of names and values, about

    def __len__(self) -> int:
        return sum(map(len, self._domains.values()))

    def __iter__(self) -> Iterator[Cookie]:
        for cookies in self._domains.values():
            yield from cookies.values()

    def header(self, target: Target) -> str:
        """The value of Cookie for a request, or an empty string."""
        if not self._domains:
            return ""
        origin = target.origin
        cookies = self._domains.get(origin.domain)
        if not cookies:
            return ""
        now, secure = time.time(), origin.scheme == "https"
        fitting = [
            each
            for each in cookies.values()
            if each.goes_to(origin.host, target.path, secure=secure, now=now)
        ]
        fitting.sort(key=lambda each: -len(each.path))  # RFC 6265, 5.4: longer paths first
        parts, room = [], LONGEST_HEADER
        for cookie in fitting:
            part = f"{cookie.name}={cookie.value}" if cookie.name else cookie.value
            room -= len(part) + 2
            if room < 0:
                break
            parts.append(part)
        return "; ".join(parts)

    def take(self, target: Target, lines: Iterable[str]) -> None:
        """Keep what the Set-Cookie lines of an answer say."""
        for line in lines:
            cookie = parse_cookie(line, target)
            if cookie is not None:
                self.put(cookie, target.origin.domain)

    def put(self, cookie: Cookie, domain: str) -> None:
        cookies = self._domains.setdefault(domain, {})
        before = weight(cookies)
        key = (cookie.domain, cookie.path, cookie.name)
        old = cookies.pop(key, None)
        if old is not None and old.pinned and not cookie.pinned:
            cookies[key] = old
        elif cookie.expires is None or cookie.expires > time.time():
            cookies[key] = cookie
        if len(cookies) > MOST_PER_DOMAIN:
            oldest = next((each for each in cookies if not cookies[each].pinned), None)
            if oldest is not None:
                del cookies[oldest]
        self._size += weight(cookies) - before
        if self._size > MOST_BYTES:
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        """Forget the domains that came first, but for what a file gave us, until a tenth is free."""
        for domain in list(self._domains):
            if self._size <= MOST_BYTES * 9 // 10:
                return
            cookies = self._domains[domain]
            kept = {key: cookie for key, cookie in cookies.items() if cookie.pinned}
            self._size -= weight(cookies) - weight(kept)
            if kept:
                self._domains[domain] = kept
            else:
                del self._domains[domain]

    def load(self, path: Path) -> None:
        """Add those of a Netscape cookie file, as browsers and curl write it; raises OSError."""
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            fields = line.removeprefix(HTTP_ONLY).split("\t")
            if (line.startswith("#") and not line.startswith(HTTP_ONLY)) or len(fields) < 7:
                continue
            domain, below, where, secure, expires, name, value = fields[:7]
            domain = domain.lstrip(".").lower()
            cookie = Cookie(
                name, value, domain, where or "/", below.upper() != "TRUE", secure.upper() == "TRUE"
            )
            seconds = float(expires) if expires.strip().isdigit() else 0.0
            cookie.expires, cookie.pinned = seconds or None, True
            self.put(cookie, registered_domain(domain) or domain)

    def save(self, path: Path) -> None:
        """Raises OSError."""
        lines = [FIRST_LINE]
        for each in self:
            domain = each.domain if each.host_only else f".{each.domain}"
            flags = ["FALSE" if each.host_only else "TRUE", each.path, "TRUE" if each.secure else "FALSE"]
            lines.append("\t".join([domain, *flags, str(int(each.expires or 0)), each.name, each.value]))
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def parse_cookie(line: str, target: Target) -> Cookie | None:
    """RFC 6265, 5.2 and 5.3; None for what may not be kept."""
    pair, *attributes = line.split(";")
    name, equals, value = pair.partition("=")
    if not equals:
        name, value = "", pair
    name, value = name.strip(), value.strip()
    if not (name or value) or len(name) + len(value) > LONGEST_COOKIE or has_control(name + value):
        return None
    host = target.origin.host
    cookie = Cookie(name, value, host, default_path(target.path))
    max_age = None
    for attribute in attributes:
        key, _, text = (part.strip() for part in attribute.partition("="))
        match key.lower():
            case "domain" if text.strip("."):
                cookie.domain, cookie.host_only = text.strip(".").lower(), False
            case "path" if text.startswith("/"):
                cookie.path = text
            case "secure":
                cookie.secure = True
            case "expires":
                moment = parse_date(text)
                cookie.expires = moment.timestamp() if moment else None
            case "max-age" if MAX_AGE.fullmatch(text):
                max_age = int(text[:12])
    if max_age is not None:
        cookie.expires = time.time() + max_age
    return cookie if may_set(cookie, host) else None


def may_set(cookie: Cookie, host: str) -> bool:
    """A host may speak for itself and for the domains above it, but not for a public suffix (5.3, 5)."""
    if cookie.host_only:
        return True
    if cookie.domain == host:
        if registered_domain(host) is None:
            cookie.host_only = True
        return True
    return host.endswith("." + cookie.domain) and registered_domain(cookie.domain) is not None


def weight(cookies: Mapping[Key, Cookie]) -> int:
    return sum(OVERHEAD + len(each.name) + len(each.value) for each in cookies.values())


def default_path(path: str) -> str:
    """RFC 6265, 5.1.4."""
    folder = path.partition("?")[0].rpartition("/")[0]
    return folder or "/"


def has_control(text: str) -> bool:
    return not text.isprintable()
