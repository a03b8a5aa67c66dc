"""Listens, accepts nobody, and its queue is full: a connection neither succeeds nor fails."""

import contextlib
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from tests.sites.serving import Site


@contextmanager
def full() -> Iterator[Site]:
    with ExitStack() as stack:
        listening = stack.enter_context(socket.socket())
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                waiting.connect(listening.getsockname())
        yield Site("127.0.0.1", listening.getsockname()[1])
