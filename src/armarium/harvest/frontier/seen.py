"""What was seen: a bounded memory of the latest in front of the file.

A page's links were mostly seen a moment ago, on the page before. So the keys met lately are kept in two
generations: when the young one is full it becomes the old one, and the old one is forgotten.
A Bloom filter of fixed size says of most new keys that they cannot be in the file, which saves a search.
It may only err to the other side, so nothing is ever lost by it; when it is full it merely stops saving.
"""

import xxhash

from armarium.formats.url import canonical
from armarium.harvest.frontier.store import Store

_GENERATION = 250_000
_FILTER_BYTES = 16 * 1024 * 1024  # at 10 million keys 1 of 50 new ones is searched for in vain
_MASK = _FILTER_BYTES * 8 - 1

ELSEWHERE = 0  # in place of the id of an address that was sent to another process

digest = xxhash.xxh3_128_digest


def key_of(url: str) -> bytes:
    """Of the canonical form; raises `InvalidUrl`."""
    return digest(canonical(url).encode())


class Seen:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._young: dict[bytes, int] = {}
        self._old: dict[bytes, int] = {}
        self._filter = bytearray(_FILTER_BYTES)
        for key in store.seen_keys():
            self._mark(key)

    def new_key(self, url: str) -> bytes | None:
        """The key of an address that was never seen; None if it was."""
        # Most addresses are their own canonical form, and what equals that of a seen one is seen.
        key = digest(url.encode())
        if key in self._young or (key in self._old and self._renew(key)):
            return None
        form = canonical(url)
        if form != url:
            key = digest(form.encode())
            if key in self._young or (key in self._old and self._renew(key)):
                return None
        if self._mark(key):
            found = self._store.seen(key)
            if found is not None:
                self._keep(key, found)
                return None
        return key

    def add(self, key: bytes, id_: int) -> None:
        """A key that `new_key` gave."""
        self._keep(key, id_)

    def find(self, url: str) -> int | None:
        """The id of an address: 0 if it is another process's, None if it was never seen."""
        key = digest(url.encode())
        known = self._young.get(key)
        if known is None:
            known = self._old.get(key)
            if known is None:
                key = key_of(url)
                known = self._store.seen(key)
            if known is not None:
                self._keep(key, known)
        return known

    def _renew(self, key: bytes) -> bool:
        self._keep(key, self._old[key])
        return True

    def _keep(self, key: bytes, id_: int) -> None:
        if len(self._young) >= _GENERATION:
            self._old = self._young
            self._young = {}
        self._young[key] = id_

    def _mark(self, key: bytes) -> bool:
        """False if the key cannot have been marked before."""
        bits = int.from_bytes(key[:8], "little")
        filter_ = self._filter
        first, second = bits & _MASK, bits >> 32 & _MASK
        first_byte, first_bit = first >> 3, 1 << (first & 7)
        second_byte, second_bit = second >> 3, 1 << (second & 7)
        if filter_[first_byte] & first_bit and filter_[second_byte] & second_bit:
            return True
        filter_[first_byte] |= first_bit
        filter_[second_byte] |= second_bit
        return False
