"""Threads in which requests are worked on, since index and storage block."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

T = TypeVar("T")


class Threads:
    def __init__(self, most: int) -> None:
        self._pool = ThreadPoolExecutor(most, thread_name_prefix="reading")

    async def run(self, work: Callable[[], T]) -> T:
        """The language that was chosen for the request goes along."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, copy_context().run, work)

    async def pieces(self, pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
        """A stream, piece by piece; if the client goes, what is open behind it is closed."""
        try:
            while (piece := await self.run(lambda: next(pieces, None))) is not None:
                yield piece
        finally:
            close = getattr(pieces, "close", None)
            if close is not None:
                await self.run(close)

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
