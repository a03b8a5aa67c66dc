"""Whether an ID token may be believed (OpenID Connect Core 1.0, section 3.1.3.7)."""

import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from joserfc import jws, jwt
from joserfc.errors import JoseError
from joserfc.jwk import Key

#: No "none", and nothing with a shared secret: a public key must never be taken for one (RFC 8725, 3.1).
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
LEEWAY = timedelta(minutes=1)  # clocks differ
OLDEST = timedelta(minutes=10)  # the token was made for us just now
LONGEST_SUBJECT = 255  # Core 1.0, section 2: ASCII, no longer than this


class Disbelieved(ValueError):  # noqa: N818  (reads as what the token is)
    """The token proves nothing; the words say why, for the log."""


@dataclass(frozen=True)
class Expected:
    issuer: str
    client_id: str
    nonce: str
    now: datetime


def believed(
    token: object, key_of: Callable[[str | None], Key | None], expected: Expected
) -> Mapping[str, Any]:
    """The claims of a token that is genuine, new, and meant for us."""
    claims = _signed(token, key_of)
    _check_parties(claims, expected)
    _check_times(claims, expected.now)
    nonce = claims.get("nonce")
    if not isinstance(nonce, str) or not hmac.compare_digest(nonce.encode(), expected.nonce.encode()):
        raise Disbelieved("the nonce is not ours")
    return claims


def _signed(token: object, key_of: Callable[[str | None], Key | None]) -> Mapping[str, Any]:
    if not isinstance(token, str):
        raise Disbelieved("there is no ID token")
    try:
        header = jws.extract_compact(token.encode()).headers()
        algorithm, kid = header.get("alg"), header.get("kid")
        if algorithm not in ALGORITHMS:
            raise Disbelieved(f"the algorithm {str(algorithm)[:20]!r} is not accepted")
        if kid is not None and not isinstance(kid, str):
            raise Disbelieved("the name of its key is no text")
        key = key_of(kid)
        if key is None:
            raise Disbelieved("it is signed with a key that the provider does not have")
        if key.alg is not None and key.alg != algorithm:
            raise Disbelieved("it is signed with another algorithm than its key is for")
        return jwt.decode(token, key, algorithms=list(ALGORITHMS)).claims
    except (JoseError, ValueError, TypeError, RecursionError) as problem:
        if isinstance(problem, Disbelieved):
            raise
        raise Disbelieved(
            f"it is malformed or its signature is wrong ({type(problem).__name__})"
        ) from problem


def _check_parties(claims: Mapping[str, Any], expected: Expected) -> None:
    if claims.get("iss") != expected.issuer:
        raise Disbelieved("another issuer made it")
    audience = claims.get("aud")
    audiences = audience if isinstance(audience, list) else [audience]
    if expected.client_id not in audiences:
        raise Disbelieved("it is meant for another client")
    party = claims.get("azp")
    if (party is not None or len(audiences) > 1) and party != expected.client_id:
        raise Disbelieved("it was given to another client")
    subject = claims.get("sub")
    if not isinstance(subject, str) or not subject or len(subject) > LONGEST_SUBJECT or not subject.isascii():
        raise Disbelieved("it does not say of whom it speaks")
    if not subject.isprintable():
        raise Disbelieved("its subject has unprintable characters")


def _check_times(claims: Mapping[str, Any], now: datetime) -> None:
    at = now.timestamp()
    expires, issued, begins = (_moment(claims.get(name), name) for name in ("exp", "iat", "nbf"))
    if expires is None or expires + LEEWAY.total_seconds() <= at:
        raise Disbelieved("it has expired, or does not say when it does")
    if issued is None or issued - LEEWAY.total_seconds() > at:
        raise Disbelieved("it was made in the future, or does not say when")
    if issued + OLDEST.total_seconds() < at:
        raise Disbelieved("it was made too long ago")
    if begins is not None and begins - LEEWAY.total_seconds() > at:
        raise Disbelieved("it is not valid yet")


def _moment(value: object, name: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not -1e12 < value < 1e12:
        raise Disbelieved(f"{name} is no moment")
    return float(value)
