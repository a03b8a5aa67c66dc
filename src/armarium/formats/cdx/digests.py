"""Digests as index lines spell them: labelled as in WARC, or bare, and then told by letters and length."""

import re

from armarium.formats.warc.digest import Digest

# Bare digests met in CDX files. Base32 of SHA-1 and hexadecimal of MD5 have 32 letters each, but base32 is
# written in capitals and has no 0, 1, 8 and 9.
_BARE = (
    (re.compile(r"[A-Z2-7]{32}\Z"), "sha1"),
    (re.compile(r"[0-9a-fA-F]{32}\Z"), "md5"),
    (re.compile(r"[0-9a-fA-F]{40}\Z"), "sha1"),
    (re.compile(r"[0-9a-fA-F]{64}\Z"), "sha256"),
    (re.compile(r"[A-Z2-7]{52}(?:====)?\Z"), "sha256"),
    (re.compile(r"[0-9a-fA-F]{128}\Z"), "sha512"),
)
_LONGEST = 256
_SHA1 = re.compile(r"(?:urn:)?sha-?1:", re.IGNORECASE)


def parse_digest(text: str) -> Digest | None:
    """`sha1:B2LT…`, `sha-256:…`, bare base32 or hexadecimal; None for anything else."""
    if len(text) > _LONGEST:
        return None
    if ":" in text:
        return Digest.parse(text)
    for shape, algorithm in _BARE:
        if shape.match(text):
            return Digest.parse(f"{algorithm}:{text}")
    return None


def in_column(written: str) -> str:
    """A digest as CDX in columns has it: SHA-1 without its name, as everywhere; no other passes for it."""
    return _SHA1.sub("", written, count=1)
