"""The cookies of the readers' origin and of the content's: names, who gets them back, and sealed values."""

import hmac
import json
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NoBase64
from datetime import timedelta
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from starlette.responses import Response

from armarium.access.settings import AccessSettings
from armarium.core import clock
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


NONCE_BYTES = 12
LONGEST = 2000  # characters of a seal; ours are far shorter
WORD = 24  # letters of a word


class Purpose(StrEnum):
    READING = "reading"  # cookie of the readers' origin
    CONTENT = "content"  # cookie of the content's origin
    ENTER = "enter"  # ticket from the readers' origin to that of the content
    STAFF = "staff"  # ticket from the staff site to the readers' origin
    TERMS = "terms"  # cookie: the terms were accepted
    LEAVE = "leave"  # ticket to wipe what archived pages left behind


class Seals:
    def __init__(self, key: bytes) -> None:
        self._key = key
        self._cipher = AESGCM(key)

    def seal(self, purpose: Purpose, facts: dict[str, Any], good_for: timedelta) -> str:
        until = int((clock.now() + good_for).timestamp())
        nonce = secrets.token_bytes(NONCE_BYTES)
        text = json.dumps({**facts, "until": until}, separators=(",", ":"))
        sealed = self._cipher.encrypt(nonce, text.encode(), purpose.value.encode())
        return urlsafe_b64encode(nonce + sealed).decode().rstrip("=")

    def opened(self, purpose: Purpose, sealed: str | None) -> dict[str, Any] | None:
        """What was sealed; None: not by us, not for this purpose, or too long ago."""
        if not sealed or len(sealed) > LONGEST:
            return None
        try:
            raw = urlsafe_b64decode(sealed.encode("ascii") + b"=" * (-len(sealed) % 4))
            text = self._cipher.decrypt(raw[:NONCE_BYTES], raw[NONCE_BYTES:], purpose.value.encode())
        except (InvalidTag, NoBase64, ValueError):  # ValueError: not ASCII, or too short to be one
            return None
        facts: dict[str, Any] = json.loads(text)
        return facts if facts["until"] > clock.now().timestamp() else None

    def word(self, about: str, value: object) -> str:
        """A word that stands for the value, and from which nobody can find it."""
        return hmac.new(self._key, f"{about} {value}".encode(), "sha256").hexdigest()[:WORD]
