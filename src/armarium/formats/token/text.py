"""Signed texts in the compact form of RFC 7515, and the one error for those that do not hold."""

import enum
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections.abc import Mapping
from typing import Any

from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import OKPKey

#: The one algorithm. RFC 9864 names the curve; the older "EdDSA" leaves it open.
ALGORITHM = "Ed25519"


class Reason(enum.StrEnum):
    """Why something is not trusted: for the log, never for the one who sent it."""

    MALFORMED = "malformed"
    SIGNATURE = "signature"  # altered, or made with another key
    EXPIRED = "expired"
    EARLY = "early"  # made in the future: one of the two clocks is wrong
    FOREIGN = "foreign"  # for another collector, or of another kind
    OTHER_REQUEST = "other-request"  # a proof of another method, path or body
    REPLAYED = "replayed"  # a copy of a request that was answered
    SEALED = "sealed"  # cannot be decrypted: altered, or sealed for another key
    TOO_LARGE = "too-large"


class Untrusted(ValueError):  # noqa: N818  (reads as what happened)
    """A text that proves nothing; `reason` says why."""

    def __init__(self, reason: Reason, what: str) -> None:
        super().__init__(f"{what} ({reason})")
        self.reason = reason


class Signatures(jws.JWSRegistry):
    """What joserfc may do for us: one algorithm, and payloads up to a bound of our own."""

    def __init__(self, max_payload: int) -> None:
        super().__init__(algorithms=[ALGORITHM])
        self.max_payload_length = max_payload


def signed(claims: Mapping[str, Any], key: OKPKey, kind: str, name: str, signatures: Signatures) -> str:
    """The claims with a signature; `kind` keeps texts for one purpose from being used for another."""
    header = {"alg": ALGORITHM, "typ": kind, "kid": name}
    payload = json.dumps(claims, separators=(",", ":"), ensure_ascii=False).encode()
    return jws.serialize_compact(header, payload, key, registry=signatures)


def verified(text: str, key: OKPKey, kind: str, signatures: Signatures) -> tuple[str, dict[str, Any]]:
    """The name of the key and the claims, if the text was signed with `key` for this purpose."""
    if not is_canonical(text, parts=3):
        raise Untrusted(Reason.MALFORMED, "It is not three parts in base64url.")
    try:
        found = jws.deserialize_compact(text, key, registry=signatures)
    except (JoseError, ValueError) as problem:
        raise Untrusted(Reason.SIGNATURE, f"Its signature does not hold: {problem}.") from None
    header = found.protected
    # Exactly these members: `crit`, `b64` or `jwk` would ask us to read the text in another way.
    if set(header) != {"alg", "typ", "kid"} or header["typ"] != kind or not isinstance(header["kid"], str):
        raise Untrusted(Reason.FOREIGN, "It was signed for another purpose.")
    return header["kid"], members(found.payload)


def members(payload: bytes) -> dict[str, Any]:
    try:
        found = json.loads(payload)
    except (ValueError, RecursionError):  # thousands of brackets, one inside the other
        found = None
    if not isinstance(found, dict):
        raise Untrusted(Reason.MALFORMED, "It holds no JSON object.")
    return found


def is_canonical(text: str, parts: int) -> bool:
    """Whether each part is base64url as an encoder writes it.

    Decoders pass over spare bits and foreign characters (RFC 4648, 3.5): a text could be altered and hold.
    """
    segments = text.split(".")
    return len(segments) == parts and all(_is_canonical(segment) for segment in segments)


def _is_canonical(segment: str) -> bool:
    try:
        raw = segment.encode("ascii")
        return urlsafe_b64encode(urlsafe_b64decode(raw + b"=" * (-len(raw) % 4))).rstrip(b"=") == raw
    except (NotBase64, UnicodeEncodeError):
        return False
