"""What a writer may have taken for the payload of an HTTP message: each reading's digest, in one pass.

    body as recorded ──chunks──▶ without chunks ──gzip, …──▶ entity ──content codings──▶ decoded

Comes in: the body in pieces, once.
Goes out: the digests of all that stands in the picture.
It must never keep a body in memory, nor decode more of it than `most_decoded` allows.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from armarium.formats.http import Outcome, decode_content
from armarium.formats.validation.digests import HASHERS, Hasher
from armarium.formats.validation.http_body import START, Body
from armarium.formats.warc.digest import Digest

# Bytes that a body may decode to: few pages shrink to less than a sixteenth, and bombs need an end.
ALWAYS_DECODED = 16 * 1024 * 1024
EXPANSION = 16
MOST_DECODED = 256 * 1024 * 1024


class Reading(NamedTuple):
    """One notion of the payload."""

    digest: bytes | None  # None: not tried, because it is too large
    code: str = ""  # of the finding, where this is not what the digest should be of
    facts: Mapping[str, object] = {}


class Nothing:
    """A hasher for no digest."""

    def update(self, _data: bytes | memoryview, /) -> object:
        return None

    def digest(self) -> bytes:
        return b""


def hasher(digest: Digest | None) -> Hasher:
    """A running digest to compare with a declared one."""
    return HASHERS[digest.algorithm]() if digest is not None else Nothing()


def most_decoded(length: int) -> int:
    """How many bytes may be decoded of a body of this length."""
    return min(max(ALWAYS_DECODED, EXPANSION * length), MOST_DECODED)


class _Hashed:
    """Pieces that are hashed as they pass by, to the last one, whoever stops asking for them before."""

    def __init__(self, pieces: Iterable[bytes], digest: Digest | None) -> None:
        self._hash = hasher(digest)
        self._running = self._run(pieces)
        self.start = b""

    def __iter__(self) -> Iterator[bytes]:
        return self._running

    def digest(self) -> bytes:
        for _ in self._running:
            pass
        return self._hash.digest()

    def _run(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            self._hash.update(piece)
            if len(self.start) < START:
                self.start += piece[: START - len(self.start)]
            yield piece


def read_payload(recorded: Iterable[bytes], body: Body, digest: Digest | None, length: int) -> list[Reading]:
    """Use up the recorded body; what is to be compared with `digest`, the right reading first.

    `length` is that of the body, as far as known.
    """
    limit, transfer = most_decoded(length), body.compressions
    content = body.head.content_codings if digest is not None else ()
    raw = _Hashed(recorded, digest if body.dechunker or transfer else None)
    unchunked = _Hashed(body.pieces(raw), digest)
    unpacking = decode_content(transfer, unchunked, limit) if transfer else None
    entity = _Hashed(unpacking, digest) if unpacking is not None else unchunked
    decoding = decode_content(content, entity, limit) if content else None
    decoded = _Hashed(decoding, digest).digest() if decoding is not None else b""
    # From the last to the first: each reads to its end what the one behind it left over.
    readings = [Reading(entity.digest())]
    if unpacking is not None:
        if unpacking.outcome is Outcome.TOO_LARGE:
            readings = [Reading(None, facts={"limit": limit})]
        coding = f"the transfer coding {', '.join(transfer)}"
        readings.append(Reading(unchunked.digest(), "warc-payload-digest-chunked", {"coding": coding}))
    if body.dechunker is not None or transfer:
        facts = {"coding": "their transfer coding"}
        readings.append(Reading(raw.digest(), "warc-payload-digest-chunked", facts))
    if decoding is not None:
        tried = decoding.outcome is not Outcome.TOO_LARGE
        code = "warc-payload-digest-decoded"
        readings.append(Reading(decoded if tried else None, code, {} if tried else {"limit": limit}))
    body.start = entity.start
    return readings
