"""One connection to a server: a request is written, an answer is read, and so on until one side stops."""

import asyncio
import time
from collections.abc import Callable
from typing import cast

from armarium.harvest.fetch.answer import Answer
from armarium.harvest.fetch.exchange import TlsFacts


class Connection(asyncio.Protocol):
    """Serves one exchange at a time. What comes while none is under way ends it: nobody asked for that."""

    tls: TlsFacts | None = None
    address = ""  # of the server, or of the proxy where that answers itself
    port = 0
    reached = ""  # the address of the server, whoever answers
    served = 0  # exchanges so far
    idle_since = 0.0

    def __init__(self, loop: asyncio.AbstractEventLoop, silence: float) -> None:
        self._loop = loop
        self._silence = silence
        self.transport: asyncio.Transport | None = None
        self._answer: Answer | None = None
        self._over: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._heard = 0.0  # when something last came
        self._deadline = 0.0
        self.first_byte = 0.0  # when the answer began
        self.timed_out = False
        self.spoke_unasked = b""

    @property
    def is_open(self) -> bool:
        return self.transport is not None and not self.transport.is_closing()

    def ask(self, request: bytes, answer: Answer, seconds: float) -> "asyncio.Future[None]":
        """Send a request; the future is done when the answer is over, however it ended."""
        loop = self._loop
        over = loop.create_future()
        if self.transport is None:  # lost before a word was said
            answer.close()
            over.set_result(None)
            return over
        self._answer, self._over = answer, over
        self._heard = now = time.monotonic()
        self._deadline = now + seconds
        self.first_byte = 0.0
        if self._timer is None:
            self._timer = loop.call_later(min(self._silence, seconds), self._look_at_the_clock)
        self.transport.write(request)
        return over

    def close(self) -> None:
        """Drop the connection; an exchange under way ends here."""
        if self.transport is not None:
            self.transport.abort()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        answer = self._answer
        if answer is None:
            self.spoke_unasked = data[:60]
            self.close()
            return
        self._heard = time.monotonic()
        if not self.first_byte:
            self.first_byte = self._heard
        try:
            over = answer.feed(data)
        except OSError as error:  # our disk, not their server: whoever waits has to know
            self._finish(error)
            self.close()
            return
        if over:
            self._finish()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  (the signature is asyncio's)
        self.transport = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._end_of_stream()

    def eof_received(self) -> bool:
        self._end_of_stream()
        return False  # the transport closes itself

    def _end_of_stream(self, end: Callable[[], None] | None = None) -> None:
        if self._answer is None:
            return
        try:
            (end or self._answer.close)()
        except OSError as error:
            self._finish(error)
        else:
            self._finish()

    def _finish(self, error: OSError | None = None) -> None:
        over, self._over, self._answer = self._over, None, None
        self.served += 1
        if over is None or over.done():
            return
        if error is None:
            over.set_result(None)
        else:
            over.set_exception(error)

    def _look_at_the_clock(self) -> None:
        """One timer serves all exchanges of a connection: it is set again only when it fires."""
        self._timer = None
        if self._answer is None:
            return
        now = time.monotonic()
        until = min(self._heard + self._silence, self._deadline)
        if now < until:
            self._timer = self._loop.call_later(until - now, self._look_at_the_clock)
            return
        self.timed_out = True
        self._end_of_stream(self._answer.expire)
        self.close()
