"""What was looked up lately and need not be looked up again yet."""

import time
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Lately(Generic[K, V]):
    """Values that stay true for a moment. Two threads that miss the same one both look it up."""

    def __init__(self, seconds: float, most: int = 10_000) -> None:
        self._seconds = seconds
        self._most = most
        self._known: dict[K, tuple[float, V]] = {}
        self._lock = Lock()

    def get(self, key: K, look_up: Callable[[], V]) -> V:
        now = time.monotonic()
        known = self._known.get(key)
        if known is not None and now - known[0] < self._seconds:
            return known[1]
        value = look_up()
        with self._lock:
            if len(self._known) >= self._most:
                self._known.clear()
            self._known[key] = (now, value)  # as old as the moment of asking
        return value

    def forget(self, key: K | None = None) -> None:
        """One of them, or all."""
        with self._lock:
            if key is None:
                self._known.clear()
            else:
                self._known.pop(key, None)
