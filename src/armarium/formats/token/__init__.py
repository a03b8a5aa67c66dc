"""What collectors and the server prove to each other: keys, signed requests, sealed tasks (RFC 7515 to 7519).

Comes in: keys as JSON web keys, what is to be proved, the present time.
Goes out: compact texts, and what they say once every check has passed; else ``Untrusted``, with the reason.

It must never trust the algorithm that a text names for itself, inflate without a bound, or return a part of
what it could not verify.
"""

from armarium.formats.token.keys import (
    CollectorKeys,
    PublicKey,
    Reason,
    SigningKey,
    Untrusted,
    public_sealing_key,
    public_signing_key,
)
from armarium.formats.token.proof import SCHEME, WINDOW, Proof, claimed_name, prove, verify_proof
from armarium.formats.token.task import make_task_token, open_task_token

__all__ = [
    "SCHEME",
    "WINDOW",
    "CollectorKeys",
    "Proof",
    "PublicKey",
    "Reason",
    "SigningKey",
    "Untrusted",
    "claimed_name",
    "make_task_token",
    "open_task_token",
    "prove",
    "public_sealing_key",
    "public_signing_key",
    "verify_proof",
]
