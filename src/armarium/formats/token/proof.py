"""The proof of one request: who sends it, when, and exactly what. It is good for nothing else."""

import re
import secrets
from base64 import urlsafe_b64decode
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from hmac import compare_digest
from typing import Any

from armarium.core.collecting import NAME_PATTERN
from armarium.formats.token.keys import (
    SIGNING,
    CollectorKeys,
    PublicKey,
    Reason,
    Signatures,
    Untrusted,
    imported,
    is_canonical,
    members,
    signed,
    verified,
)

SCHEME = "Collector"  # Authorization: Collector <compact JWS>
KIND = "armarium-request"
WINDOW = timedelta(seconds=120)  # that clocks may differ, and for which a proof must be remembered
LONGEST = 4096
LONGEST_ID = 64

_SIGNATURES = Signatures(LONGEST)
_NAME = re.compile(NAME_PATTERN)


@dataclass(frozen=True)
class Proof:
    """A request that is proved to come from this collector."""

    collector: str
    id: str  # whoever sees it a second time has a copy before them
    expires_at: datetime  # until then the id must be remembered
    sha256: str  # of the body, which nobody has to read before this much is proved

    def check_body(self, body: bytes) -> None:
        if not compare_digest(self.sha256.encode(), sha256(body).hexdigest().encode()):
            raise Untrusted(Reason.OTHER_REQUEST, "The proof is of a request with another body.")


def prove(keys: CollectorKeys, name: str, method: str, target: str, body: bytes, now: datetime) -> str:
    """The value of the header Authorization. `target` is the path with its query, as sent."""
    claims = {
        "jti": secrets.token_urlsafe(18),
        "iat": now.timestamp(),
        "method": method,
        "path": target,
        "sha256": sha256(body).hexdigest(),
    }
    return f"{SCHEME} {signed(claims, keys.signing, KIND, name, _SIGNATURES)}"


def claimed_name(authorization: str) -> str:
    """Who the sender claims to be, so that their key can be looked up; nothing is proved yet."""
    text = _text(authorization)
    if not is_canonical(text, parts=3):
        raise Untrusted(Reason.MALFORMED, "The proof is not three parts in base64url.")
    name = members(_decoded(text.partition(".")[0])).get("kid")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise Untrusted(Reason.MALFORMED, "The proof names nobody: this is no name of a collector.")
    return name


def verify_proof(authorization: str, key: PublicKey, *, method: str, target: str, now: datetime) -> Proof:
    """Check the proof of this request. Its body, and that its id is new, are the caller's to check next."""
    name, claims = verified(_text(authorization), imported(key, SIGNING), KIND, _SIGNATURES)
    number, made = _identifier(claims), _moment(claims)
    if made < now - WINDOW:
        raise Untrusted(Reason.EXPIRED, f"The proof is of {made.isoformat()}.")
    if made > now + WINDOW:
        raise Untrusted(Reason.EARLY, f"The proof is of {made.isoformat()}: a clock is wrong.")
    for member, value in (("method", method), ("path", target)):
        if claims.get(member) != value:
            raise Untrusted(Reason.OTHER_REQUEST, f"The proof is of a request with another {member}.")
    return Proof(name, number, made + WINDOW, str(claims.get("sha256")))


def _text(authorization: str) -> str:
    scheme, _, text = authorization.partition(" ")
    if scheme.lower() != SCHEME.lower() or not text or len(authorization) > LONGEST:
        raise Untrusted(Reason.MALFORMED, "There is no proof of a collector.")
    return text


def _decoded(segment: str) -> bytes:
    return urlsafe_b64decode(segment + "=" * (-len(segment) % 4))


def _identifier(claims: dict[str, Any]) -> str:
    found = claims.get("jti")
    if not isinstance(found, str) or not 16 <= len(found) <= LONGEST_ID:
        raise Untrusted(Reason.MALFORMED, "The proof has no id.")
    return found


def _moment(claims: dict[str, Any]) -> datetime:
    try:
        return datetime.fromtimestamp(float(claims["iat"]), UTC)
    except (KeyError, TypeError, ValueError, OverflowError, OSError):
        raise Untrusted(Reason.MALFORMED, "The proof does not say when it was made.") from None
