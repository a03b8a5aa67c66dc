"""Digests as records carry them: `sha1:` and base32 by custom, other labels and encodings as met."""

import base64
import binascii
from dataclasses import dataclass

# The table of the annotated WARC 1.1 specification: label, length of the digest in bytes.
SIZES = {"md5": 16, "sha1": 20, "sha224": 28, "sha256": 32, "sha384": 48, "sha512": 64, "blake3": 32}
# Labels met in the wild beside those of the table.
_ALIASES = {f"sha-{size}": f"sha{size}" for size in (1, 224, 256, 384, 512)} | {
    "sha_1": "sha1",
    "sha_256": "sha256",
}


@dataclass(frozen=True, slots=True)
class Digest:
    """A labelled digest: the algorithm as one name whatever the spelling, and the bytes where they decode."""

    text: str  # as written, label included
    algorithm: str  # lower case; `sha-256` is `sha256`
    encoded: str  # what stands behind the label
    value: bytes | None  # None where the algorithm is unknown or the length fits no encoding
    encoding: str | None  # base16, base32, base64

    @classmethod
    def parse(cls, text: str) -> "Digest | None":
        """Read `label:value`; None without a label or a value."""
        label, colon, encoded = text.strip().partition(":")
        if not (colon and label and encoded):
            return None
        algorithm = _ALIASES.get(label.lower(), label.lower())
        encoding, value = _decode(encoded, SIZES.get(algorithm, 0))
        return cls(text, algorithm, encoded, value, encoding)

    def __str__(self) -> str:
        return self.text


def _decode(encoded: str, size: int) -> tuple[str | None, bytes | None]:
    bare = encoded.rstrip("=")
    # Base16 and base32 of MD5 are both 32 characters long: only the padding tells them apart.
    if len(encoded) == size * 2 and size:
        value = _try(base64.b16decode, encoded.upper())
        if value is not None:
            return "base16", value
    if len(bare) == (size * 8 + 4) // 5 and size:
        value = _try(base64.b32decode, bare.upper() + "=" * (-len(bare) % 8))
        if value is not None:
            return "base32", value
    if len(bare) == (size * 8 + 5) // 6 and size:
        value = _try(base64.b64decode, bare.replace("-", "+").replace("_", "/") + "=" * (-len(bare) % 4))
        if value is not None:
            return "base64", value
    return None, None


def _try(decode: "object", text: str) -> bytes | None:
    try:
        return decode(text)  # type: ignore[operator, no-any-return]
    except (binascii.Error, ValueError):
        return None
