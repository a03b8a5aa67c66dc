"""The supervisor's end of the fork server."""

import asyncio
import json
import os
import socket
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from armarium.server.forkserver import LARGEST


@dataclass(frozen=True)
class Forked:
    """A process that was forked; it is the fork server's child, which tells how it ended."""

    pid: int
    ended: asyncio.Future[int]

    async def wait(self) -> int:
        return await self.ended


class Forks:
    def __init__(self, server: socket.socket, *, on_lost: Callable[[], object] = lambda: os._exit(1)) -> None:
        """`on_lost`: nothing can be started or seen ending any more; whoever relies on it begins anew."""
        self._server = server
        self._on_lost = on_lost
        self._asked: deque[asyncio.Future[Forked]] = deque()
        self._living: dict[int, Forked] = {}

    def listen(self) -> None:
        """Hear the answers in the running loop."""
        asyncio.get_running_loop().add_reader(self._server, self._hear)

    async def fork(
        self,
        name: str,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        *,
        restarts: int,
        descriptors: tuple[int, int],
    ) -> Forked:
        """Start `armarium` with these arguments; `descriptors`: its lifeline and its channel."""
        request = {
            "name": name,
            "restarts": restarts,
            "arguments": list(arguments),
            "environment": dict(environment),
        }
        answer: asyncio.Future[Forked] = asyncio.get_running_loop().create_future()
        self._asked.append(answer)
        socket.send_fds(self._server, [json.dumps(request).encode()], descriptors)
        return await asyncio.shield(answer)  # whoever asked may give up; the answer comes in its turn

    def _hear(self) -> None:
        data = self._server.recv(LARGEST)
        if not data:
            asyncio.get_running_loop().remove_reader(self._server)
            self._on_lost()
            return
        match json.loads(data):
            case {"forked": int(pid)}:
                forked = Forked(pid, asyncio.get_running_loop().create_future())
                self._living[pid] = forked
                self._asked.popleft().set_result(forked)
            case {"ended": int(pid), "code": int(code)}:
                self._living.pop(pid).ended.set_result(code)
