"""Random keys for sessions, links and tokens, and the digest under which they are stored.

The keys have 256 random bits, so a plain SHA-256 is enough: there is nothing to guess.
"""

import secrets
from hashlib import sha256

TOKEN_MARK = "arm_"  # noqa: S105  (lets secret scanners recognise a leaked token)


def new_key() -> str:
    return secrets.token_urlsafe(32)


def digest(key: str) -> bytes:
    return sha256(key.encode("utf-8", "surrogateescape")).digest()
