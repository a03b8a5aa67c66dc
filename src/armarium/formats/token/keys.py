"""Keys as JSON web keys, and texts signed with them."""

import enum
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import OKPKey

PublicKey = dict[str, str]
Curve = Literal["Ed25519", "X25519"]

SIGNING: Curve = "Ed25519"
SEALING: Curve = "X25519"
MEMBERS = ("kty", "crv", "x")  # of a public key: all others are left out


@dataclass(frozen=True)
class SigningKey:
    """A private key to sign with; the server's is derived from the secret of its vault."""

    key: OKPKey

    @classmethod
    def derived(cls, seed: bytes) -> Self:
        """RFC 8032, 5.1.5: any 32 bytes are a private key."""
        return cls(OKPKey.import_key(Ed25519PrivateKey.from_private_bytes(seed)))

    @property
    def public(self) -> PublicKey:
        return _public(self.key)


@dataclass(frozen=True)
class CollectorKeys:
    """What a collector is known by: one key signs its requests, tasks are sealed for the other."""

    signing: OKPKey
    sealing: OKPKey

    @classmethod
    def generate(cls) -> Self:
        return cls(OKPKey.generate_key(SIGNING), OKPKey.generate_key(SEALING))

    @classmethod
    def load(cls, text: str) -> Self:
        """From the text that `save` gave; ValueError if it is anything else."""
        try:
            found = json.loads(text)
            return cls(_private(found["signing"], SIGNING), _private(found["sealing"], SEALING))
        except (AttributeError, KeyError, TypeError, ValueError) as problem:
            raise ValueError(f"These are not the keys of a collector: {problem}.") from None

    def save(self) -> str:
        """Private halves included: for a file that only the collector reads."""
        halves = {"signing": self.signing, "sealing": self.sealing}
        return json.dumps({name: key.as_dict(private=True) for name, key in halves.items()}, indent=1)

    @property
    def public_signing(self) -> PublicKey:
        return _public(self.signing)

    @property
    def public_sealing(self) -> PublicKey:
        return _public(self.sealing)


def public_signing_key(given: Mapping[str, object]) -> PublicKey:
    """A public key as somebody sent it, checked, and without anything else; ValueError if it is none."""
    return _public(imported(given, SIGNING))


def public_sealing_key(given: Mapping[str, object]) -> PublicKey:
    key = imported(given, SEALING)
    try:
        # RFC 7748, 6.1: points of small order give a shared secret of zeros, known to everybody.
        OKPKey.generate_key(SEALING).exchange_derive_key(key)
    except ValueError:
        raise ValueError("This public key is one of the few that protect nothing.") from None
    return _public(key)


def imported(given: Mapping[str, object], curve: Curve) -> OKPKey:
    """The public key of this curve."""
    facts = {name: str(given.get(name, "")) for name in MEMBERS}
    if facts["kty"] != "OKP" or facts["crv"] != curve:
        raise ValueError(f"This is not a public key of the curve {curve}.")
    return _imported(facts)


def _private(given: Mapping[str, object], curve: Curve) -> OKPKey:
    if given.get("kty") != "OKP" or given.get("crv") != curve or "d" not in given:
        raise ValueError(f"there is no private key of the curve {curve}")
    return _imported({name: str(given[name]) for name in (*MEMBERS, "d")})


def _imported(facts: Mapping[str, str]) -> OKPKey:
    try:
        key = OKPKey.import_key(dict(facts))
        key.get_op_key("verify" if facts["crv"] == SIGNING else "deriveKey")  # it is read only when used
    except (JoseError, ValueError) as problem:
        raise ValueError(f"This is not a key: {problem}.") from None
    return key


def _public(key: OKPKey) -> PublicKey:
    facts = key.as_dict(private=False)
    return {name: str(facts[name]) for name in MEMBERS}


# --- Signed texts in the compact form of RFC 7515, and the one error for those that do not hold.


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
