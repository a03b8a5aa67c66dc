"""What a validator asks of a labelled digest: is it well formed, can it be computed, is it written as usual.

The standard (ISO 28500:2017, 5.8) names neither algorithms nor encodings, so writers chose freely; which of
them a value is, `armarium.formats.warc.digest` finds out.
"""

import base64
import hashlib
import re
from functools import lru_cache, partial
from typing import Protocol

from blake3 import blake3

from armarium.formats.warc.digest import Digest


class Hasher(Protocol):
    def update(self, data: bytes | memoryview, /) -> object: ...
    def digest(self) -> bytes: ...


class Algorithm(Protocol):
    def __call__(self, data: bytes | memoryview = b"", /) -> Hasher: ...


# Damage, not forgery, is what MD5 and SHA-1 are asked about here.
HASHERS: dict[str, Algorithm] = {
    "md5": partial(hashlib.md5, usedforsecurity=False),
    "sha1": partial(hashlib.sha1, usedforsecurity=False),
    "sha224": hashlib.sha224,
    "sha256": hashlib.sha256,
    "sha384": hashlib.sha384,
    "sha512": hashlib.sha512,
    "blake3": blake3,
}

# The labels and encodings that the annotated WARC 1.1 asks writers for: label → encoding.
USUAL = {
    "md5": "base16",
    "sha1": "base32",
    "sha256": "base16",
    "sha384": "base16",
    "sha512": "base16",
    "blake3": "base16",
}

# labelled-digest = algorithm ":" digest-value, both tokens (5.8). A token has neither "=" nor "/", which
# padded base32 and base64 need: recommendation 48 of the IIPC allows them, and so do we.
USUAL_SHA1 = re.compile(r"sha1:[A-Z2-7]{32}")
LABELLED = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+:[!#$%&'*+.^_`|~0-9A-Za-z/=-]+")
MAX_DIGEST = 1024  # characters: a longer value is not a digest
# Base32 (RFC 4648, 6) in the digits of int(…, 32): ten times as quick as the library's decoder.
BASE32_DIGITS = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", b"0123456789abcdefghijklmnopqrstuv")


def from_base32(text: str) -> bytes:
    """The SHA-1 digest that is written so, in upper case."""
    return int(text.encode().translate(BASE32_DIGITS), 32).to_bytes(20, "big")


@lru_cache(maxsize=256)
def parse_digest(text: str) -> Digest | None:
    """A labelled digest taken apart; None where it is not `algorithm:value`."""
    if USUAL_SHA1.fullmatch(text):
        return Digest(text, "sha1", text[5:], from_base32(text[5:]), "base32")
    if len(text) > MAX_DIGEST or not LABELLED.fullmatch(text):
        return None
    return Digest.parse(text)


def is_unusual(digest: Digest) -> bool:
    """Whether the annotated standard would have the label or the encoding written in another way."""
    label = digest.text.partition(":")[0]
    usual = USUAL.get(label)
    if usual is None or usual != digest.encoding:
        return True
    return digest.encoded != (digest.encoded.upper() if usual == "base32" else digest.encoded.lower())


def encode(digest: bytes, encoding: str | None) -> str:
    """A computed digest in the encoding of the declared one, so that the two can be compared by eye."""
    if encoding == "base32":
        return base64.b32encode(digest).decode().rstrip("=")
    if encoding == "base64":
        return base64.b64encode(digest).decode()
    return digest.hex()
