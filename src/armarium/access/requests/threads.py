"""Threads in which requests are worked on, since index and storage block; and how long work takes turns."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from threading import BoundedSemaphore
from typing import TypeVar

from starlette.types import Receive

from armarium.core.errors import Unavailable
from armarium.core.message import message

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


# A request as long work sees it: whether anybody still waits for it, and whether it may go on now.
# Long work in all threads at once would leave none for those who only turn a page.


AT_A_TIME = 2  # long ones
SOON = 0.3  # seconds in which most work is done: only then is looked whether the client waits
RETRY_AFTER = 5  # seconds


class Busy(Unavailable):
    """Others have long work done already."""


class Gone(Unavailable):
    """Nobody waits for the answer any more."""


class RequestWork:
    """What is done for one request, before the first byte of its answer."""

    def __init__(self, turns: BoundedSemaphore | None = None) -> None:
        self.gone = False
        self._turns = turns
        self._has_turn = False

    def go_on(self, *, long: bool = True) -> None:
        """Said now and then by work that may take long; raises `Gone`, or `Busy` if it is `long` by now."""
        if self.gone:
            raise Gone(message("Nobody waits for the answer any more."))
        if self._turns is None or self._has_turn or not long:
            return
        if not self._turns.acquire(blocking=False):
            raise Busy(message("Others are having long lists made. Try again in a few seconds."))
        self._has_turn = True

    def end(self) -> None:
        """What comes behind is sent piece by piece, as the client takes it: that keeps nobody waiting."""
        if self._turns is not None and self._has_turn:
            self._turns.release()
        self._turns = None

    async def watch(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self.gone = True


_current: ContextVar[RequestWork | None] = ContextVar("armarium_work", default=None)


def current_work() -> RequestWork:
    """That of the request in whose thread this is; without a door there is nobody to be kept waiting."""
    return _current.get() or RequestWork()


class WorkLimit:
    """Those of one process."""

    def __init__(self, at_a_time: int = AT_A_TIME) -> None:
        self._turns = BoundedSemaphore(at_a_time)

    @contextmanager
    def one(self, receive: Receive) -> Iterator[RequestWork]:
        """Around the work; the threads that are started for it know the work as the current one."""
        work = RequestWork(self._turns)
        token = _current.set(work)
        watching: list[asyncio.Task[None]] = []
        loop = asyncio.get_running_loop()
        timer = loop.call_later(SOON, lambda: watching.append(loop.create_task(work.watch(receive))))
        try:
            yield work
        finally:
            timer.cancel()
            for task in watching:
                task.cancel()
            work.end()
            _current.reset(token)
