"""Memory with a bound: a table that forgets what was not used, a count of distinct things, samples."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from heapq import heappush, heappushpop
from typing import Generic, TypeVar

_KEPT = 64  # smallest numbers; the estimate is within about an eighth of the truth
_RANGE = 1 << 64
LONGEST_SAMPLE = 1000  # characters of an address that is kept whole
_SAMPLES = 5
_FIRST, _LATEST = 20, 20

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Table(Generic[Key, Value]):
    """At most so many entries; the one that was not asked for longest goes first."""

    def __init__(self, most: int, make: Callable[[], Value]) -> None:
        self._most = most
        self._make = make
        self._entries: OrderedDict[Key, Value] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, key: Key) -> Value:
        """The entry, made if there is none."""
        entry = self._entries.get(key)
        if entry is None:
            entry = self._entries[key] = self._make()
            if len(self._entries) > self._most:
                self._entries.popitem(last=False)
        else:
            self._entries.move_to_end(key)
        return entry


class Distinct:
    """How many different numbers of 64 bits it was shown: exact up to 64, then estimated.

    It keeps the smallest ones; how close together they lie tells how many there are.
    """

    __slots__ = ("_members", "_smallest")

    def __init__(self) -> None:
        self._members: set[int] = set()
        self._smallest: list[int] = []  # negative, so that the largest kept comes first

    def add(self, number: int) -> None:
        if number in self._members:
            return
        if len(self._smallest) < _KEPT:
            heappush(self._smallest, -number)
            self._members.add(number)
        elif number < -self._smallest[0]:
            self._members.discard(-heappushpop(self._smallest, -number))
            self._members.add(number)

    def __len__(self) -> int:
        if len(self._smallest) < _KEPT:
            return len(self._smallest)
        return (_KEPT - 1) * _RANGE // max(1, -self._smallest[0])


class Samples:
    """The last few addresses of a group."""

    __slots__ = ("urls",)

    def __init__(self) -> None:
        self.urls: tuple[str, ...] = ()

    def add(self, url: str) -> None:
        if len(url) <= LONGEST_SAMPLE and url not in self.urls:
            self.urls = (*self.urls[1 - _SAMPLES :], url)


class HostSamples:
    """The first addresses of a host, which are seldom part of a trap, and the latest."""

    __slots__ = ("_first", "_latest", "_turn")

    def __init__(self) -> None:
        self._first: list[str] = []
        self._latest: list[str] = []
        self._turn = 0

    def add(self, url: str) -> None:
        if len(url) > LONGEST_SAMPLE:
            return
        if len(self._first) < _FIRST:
            self._first.append(url)
        elif len(self._latest) < _LATEST:
            self._latest.append(url)
        else:
            self._latest[self._turn % _LATEST] = url
            self._turn += 1

    def urls(self) -> list[str]:
        return self._first + self._latest
