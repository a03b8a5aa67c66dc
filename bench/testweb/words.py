"""Chance and words. Only `random()` and `randbytes()` are asked: a seed means the same in every Python."""

import math
from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")

COMMON = (  # noqa: SIM905
    "the of and to in a is that for it as was with be by on not he his but at are this have "
    "from or had an they which one you were all her she there would their we him been has "
    "when who will no more if out so up said what its about than into them can only other "
    "time new some could these two may first then do any like my now over such our man me "
    "even most made after also did many before must through years where much your way"
).split()
ONSETS = "b c d f g h j k l m n p r s t v w br cr dr fl gr kl pr st tr sh ch th".split()  # noqa: SIM905
NUCLEI = "a e i o u ai ea ie ou é ü ö à".split()  # noqa: SIM905
CODAS = ("", "", "", "n", "r", "s", "t", "l", "m", "nd", "rk")
WORDS, SENTENCES = 9000, 8000


def pick(chance: Random, things: Sequence[T]) -> T:
    return things[int(chance.random() * len(things))]


def between(chance: Random, low: int, high: int) -> int:
    """A whole number from low to high, both included."""
    return low + int(chance.random() * (high - low + 1))


def lognormal(chance: Random, median: float, sigma: float, low: int, high: int) -> int:
    z = math.sqrt(-2 * math.log(1 - chance.random())) * math.cos(2 * math.pi * chance.random())
    return int(min(high, max(low, median * math.exp(sigma * z))))


class Words:
    """A vocabulary by Zipf's law, and a pool of sentences made of it."""

    def __init__(self, chance: Random) -> None:
        words, seen = list(COMMON), set(COMMON)
        while len(words) < WORDS:
            word = "".join(
                pick(chance, ONSETS) + pick(chance, NUCLEI) + pick(chance, CODAS)
                for _ in range(between(chance, 1, 4))
            )
            if word not in seen and len(word) > 2:
                seen.add(word)
                words.append(word)
        self.rare = [word for word in words[1000:] if word.isascii() and 4 < len(word) < 12]
        self.sentences: list[str] = []
        for _ in range(SENTENCES):
            said = [words[int(len(words) ** chance.random()) - 1] for _ in range(between(chance, 6, 26))]
            end = pick(chance, (".", ".", ".", "?", "!"))
            self.sentences.append(" ".join(said).capitalize() + end)

    def title(self, chance: Random, low: int = 3, high: int = 8) -> str:
        return " ".join(pick(chance, self.rare) for _ in range(between(chance, low, high)))

    def paragraph(self, chance: Random) -> str:
        return " ".join(pick(chance, self.sentences) for _ in range(between(chance, 2, 7)))
