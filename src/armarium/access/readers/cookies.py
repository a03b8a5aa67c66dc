"""The cookies of the readers' origin and of the content's: their names, and who gets them back."""

from datetime import timedelta
from urllib.parse import urlsplit

from starlette.responses import Response

from armarium.access.settings import AccessSettings
from armarium.formats.url import registered_domain

READING = "armarium_reading"
VISIT = "armarium_reading_visit"
TERMS = "armarium_terms"
CONTENT = "armarium_content"
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class Cookies:
    def __init__(self, settings: AccessSettings) -> None:
        self.reading_url = settings.reading
        self._reading_secure = _is_https(settings.reading)
        self._content_secure = _is_https(settings.content) or _is_loopback(settings.content)
        # Over https the browser itself guards the cookie's origin (RFC 6265bis, 4.1.3.2): a page of the
        # content's origin cannot put one there for the readers' origin that lies beside it.
        self.reading = _guarded(READING, self._reading_secure)
        self.visit = _guarded(VISIT, self._reading_secure)
        self.terms = _guarded(TERMS, self._reading_secure)
        self.content = _guarded(CONTENT, _is_https(settings.content))
        self.same_site = is_same_site(settings.reading, settings.content)

    def put(self, response: Response, name: str, value: str) -> None:
        """One of the readers' origin, until the browser is closed."""
        secure = "; Secure" if self._reading_secure else ""
        response.headers.append("Set-Cookie", f"{name}={value}; Path=/; HttpOnly; SameSite=Lax{secure}")

    def drop(self, response: Response, *names: str) -> None:
        secure = "; Secure" if self._reading_secure else ""
        for name in names:
            gone = f"{name}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax{secure}"
            response.headers.append("Set-Cookie", gone)

    def put_content(self, response: Response, value: str, good_for: timedelta) -> None:
        age = int(good_for.total_seconds())
        cookie = f"{self.content}={value}; Path=/; Max-Age={age}; HttpOnly{self._content_rules()}"
        response.headers.append("Set-Cookie", cookie)

    def drop_content(self, response: Response) -> None:
        gone = f"{self.content}=; Path=/; Max-Age=0; HttpOnly{self._content_rules()}"
        response.headers.append("Set-Cookie", gone)

    def _content_rules(self) -> str:
        """Archived pages stand in a frame of the readers' page. Where the two are different sites, browsers
        send a cookie into the frame only if it says so, and keep it apart for each page around it (CHIPS)."""
        if self.same_site or not self._content_secure:
            return "; SameSite=Lax" + ("; Secure" if self._content_secure else "")
        return "; SameSite=None; Secure; Partitioned"


def is_same_site(one: str, other: str) -> bool:
    """Whether browsers call the two one site: the same scheme and registered domain."""
    first, second = urlsplit(one), urlsplit(other)
    if first.scheme != second.scheme:
        return False
    if first.hostname == second.hostname:
        return True
    domains = {registered_domain(parts.hostname or "") for parts in (first, second)}
    return len(domains) == 1 and None not in domains


def _guarded(name: str, secure: bool) -> str:
    return f"__Host-{name}" if secure else name


def _is_https(address: str) -> bool:
    return urlsplit(address).scheme == "https"


def _is_loopback(address: str) -> bool:
    return urlsplit(address).hostname in LOOPBACK
