"""Keys as JSON web keys (RFC 7517, RFC 8037): Ed25519 to sign, X25519 to seal."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Self

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
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
