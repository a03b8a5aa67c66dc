"""What a browser carries for us: encrypted, made for one purpose, good until a moment.

Cookies and tickets name a session of the database. Each is sealed for its purpose, so that the cookie of one
origin opens nothing on another, and none of them is the key of a session on the staff site.
"""

import hmac
import json
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NoBase64
from datetime import timedelta
from enum import StrEnum
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from armarium.core import clock

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
