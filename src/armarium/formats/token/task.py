"""A task token: all that a collector needs for one job, signed by the server, sealed for the collector.

The signature is inside, the seal outside (RFC 7519, 11.2): nobody can take the seal off and put the
signature of somebody else under it, and nobody on the way reads seeds or passwords.
"""

import secrets
import zlib
from datetime import UTC, datetime, timedelta
from typing import Any

from joserfc import jwe
from joserfc.errors import JoseError
from joserfc.jwa import JWEZipModel
from pydantic import ValidationError

from armarium.core.collecting import TaskOrder
from armarium.formats.token.keys import (
    SEALING,
    SIGNING,
    CollectorKeys,
    PublicKey,
    Reason,
    Signatures,
    SigningKey,
    Untrusted,
    imported,
    is_canonical,
    signed,
    verified,
)

ISSUER = "armarium"
KIND = "armarium-task"
SEAL = {"alg": "ECDH-ES+A256KW", "enc": "A256GCM", "zip": "DEF"}
MOST_BYTES = 256 * 1024 * 1024  # of the order; 100,000 domains with their seeds take some 30 MB
CLOCKS = timedelta(seconds=120)  # that a token may come from the future of the collector's clock


class _Deflate(JWEZipModel):
    """RFC 7516, 4.1.3. What a few bytes can inflate to is bounded: joserfc's own bound is 250 KB."""

    name = "DEF"
    description = "DEFLATE"

    def __init__(self, most: int) -> None:
        self.most = most

    def compress(self, s: bytes) -> bytes:
        packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
        return packer.compress(s) + packer.flush()

    def decompress(self, s: bytes) -> bytes:
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            found = unpacker.decompress(s, self.most)
        except zlib.error:
            raise Untrusted(Reason.MALFORMED, "The content is not compressed as it says.") from None
        if unpacker.unconsumed_tail or not unpacker.eof:
            raise Untrusted(Reason.TOO_LARGE, f"The content has more than {self.most} bytes, or is cut off.")
        return found


class Seals(jwe.JWERegistry):
    """The algorithms that we use, no others, whatever a token names."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        super().__init__(algorithms=list(SEAL.values()))
        self.max_ciphertext_length = most * 4 // 3
        self._deflate = _Deflate(most)

    def get_zip(self, name: str) -> JWEZipModel:
        super().get_zip(name)
        return self._deflate


_SEALS = Seals()
_SIGNATURES = Signatures(MOST_BYTES)


def make_task_token(
    task: TaskOrder,
    *,
    server: SigningKey,
    collector: str,
    sealing_key: PublicKey,
    now: datetime,
    expires_at: datetime,
) -> str:
    """The token; only the holder of the private half of `sealing_key` can read it."""
    claims = {
        "iss": ISSUER,
        "aud": collector,
        "iat": now.timestamp(),
        "exp": expires_at.timestamp(),
        "jti": secrets.token_urlsafe(18),
        # Passwords of web sites leave the server here, and only here.
        "task": task.model_dump(mode="json", context={"secrets": True}),
    }
    inside = signed(claims, server.key, KIND, ISSUER, _SIGNATURES)
    header = {**SEAL, "typ": KIND, "cty": "JWT", "kid": collector}
    return jwe.encrypt_compact(header, inside, imported(sealing_key, SEALING), registry=_SEALS)


def open_task_token(
    token: str,
    keys: CollectorKeys,
    *,
    collector: str,
    server_key: PublicKey,
    now: datetime,
    seals: Seals = _SEALS,
) -> TaskOrder:
    """The task, if the token is whole, signed by this server, meant for this collector, and still valid."""
    inside = _unsealed(token, keys, seals)
    _, claims = verified(inside, imported(server_key, SIGNING), KIND, _SIGNATURES)
    if claims.get("iss") != ISSUER or claims.get("aud") != collector:
        raise Untrusted(Reason.FOREIGN, "The token is for another collector.")
    if now < _moment(claims, "iat") - CLOCKS:
        raise Untrusted(Reason.EARLY, "The token comes from the future: a clock is wrong.")
    if now >= _moment(claims, "exp"):
        raise Untrusted(Reason.EXPIRED, "The token is no longer valid.")
    try:
        return TaskOrder.model_validate(claims.get("task"))
    except ValidationError as problem:
        # Without the values: there may be passwords among them.
        places = ", ".join(".".join(map(str, error["loc"])) for error in problem.errors())
        raise Untrusted(
            Reason.MALFORMED, f"The task has parts that this version does not know: {places}"
        ) from None


def _unsealed(token: str, keys: CollectorKeys, seals: Seals) -> str:
    if not is_canonical(token, parts=5):
        raise Untrusted(Reason.MALFORMED, "The token is not five parts in base64url.")
    try:
        found = jwe.decrypt_compact(token, keys.sealing, registry=seals)
    except Untrusted:  # our own, about the size
        raise
    except (JoseError, ValueError, KeyError, TypeError) as problem:
        raise Untrusted(Reason.SEALED, f"The token cannot be opened: {problem!r}.") from None
    if {name: found.protected.get(name) for name in (*SEAL, "typ")} != {**SEAL, "typ": KIND}:
        raise Untrusted(Reason.FOREIGN, "The token is sealed in another way than ours.")
    # What is not ASCII is no signed text, and is refused as such.
    return (found.plaintext or b"").decode("ascii", "replace")


def _moment(claims: dict[str, Any], name: str) -> datetime:
    try:
        return datetime.fromtimestamp(float(claims[name]), UTC)
    except (KeyError, TypeError, ValueError, OverflowError, OSError):
        raise Untrusted(Reason.MALFORMED, f"The token does not say its {name}.") from None
