"""Blocks that were read lately, for all runs of a process."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

from armarium.index.runs.layout import IndexBlock

V = TypeVar("V")


class Recent(Generic[V]):
    """Values used lately, up to a weight in bytes; used by several threads."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._weight = 0
        self._values: OrderedDict[Hashable, tuple[V, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, load: Callable[[], tuple[V, int]]) -> V:
        """The value, loaded if it is not here; by two threads at once, rather than that one waits."""
        with self._lock:
            found = self._values.get(key)
            if found is not None:
                self._values.move_to_end(key)
                return found[0]
        value, weight = load()
        with self._lock:
            if key not in self._values:
                self._values[key] = value, weight
                self._weight += weight
            while self._weight > self._most and self._values:
                _, (_, lightened) = self._values.popitem(last=False)
                self._weight -= lightened
        return value

    def __contains__(self, key: Hashable) -> bool:
        return key in self._values

    def clear(self) -> None:
        with self._lock:
            self._values.clear()
            self._weight = 0


class BlockCache:
    """Lines and parts of the index, weighed apart: a long list of lines does not push the index out."""

    def __init__(self, *, data_bytes: int = 256 << 20, index_bytes: int = 256 << 20) -> None:
        self.lines: Recent[list[bytes]] = Recent(data_bytes)
        self.index: Recent[IndexBlock] = Recent(index_bytes)

    def clear(self) -> None:
        self.lines.clear()
        self.index.clear()
