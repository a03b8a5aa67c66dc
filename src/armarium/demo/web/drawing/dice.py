"""Chance that always falls the same way: each number follows from the words that it was made of."""

from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

T = TypeVar("T")


class Dice:
    def __init__(self, words: str) -> None:
        self._words = words
        self._thrown = 0

    def share(self) -> float:
        """From 0 up to, not including, 1."""
        self._thrown += 1
        digest = sha256(f"{self._words}/{self._thrown}".encode()).digest()
        return int.from_bytes(digest[:6], "big") / (1 << 48)

    def between(self, least: float, most: float) -> float:
        return least + self.share() * (most - least)

    def pick(self, things: Sequence[T]) -> T:
        return things[int(self.share() * len(things))]
