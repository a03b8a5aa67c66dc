"""How much of the index is read for one request, before its answer is given short."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

MOST_LINES = 300_000  # in all searches of a request together
MOST_SECONDS = 2.0  # of searching; what happens between searches is not counted
PIECE = 50_000  # lines after which we look at the clock
LEAST = 1000  # lines that a search may read even when all is spent: whoever goes on, gets on


class Budget:
    """One for each request. It is not for several threads."""

    def __init__(self, lines: int = MOST_LINES, seconds: float = MOST_SECONDS) -> None:
        self._lines = lines
        self._seconds = seconds

    @property
    def spent(self) -> bool:
        return self._lines <= 0 or self._seconds <= 0

    @property
    def piece(self) -> int:
        """Lines that may be read at once."""
        return LEAST if self.spent else max(LEAST, min(PIECE, self._lines))

    @contextmanager
    def searching(self) -> Iterator[None]:
        started = time.monotonic()
        try:
            yield
        finally:
            self._seconds -= time.monotonic() - started

    def spend(self, lines: int) -> None:
        self._lines -= lines
