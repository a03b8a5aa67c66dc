"""One file on its way to the server.

What the server has of it is asked before anything is sent, so that an upload goes on where it was cut, by
whoever and whatever.

    receiving ──last byte, digest as offered──▶ landed ──in every replica──▶ stored
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import structlog

from armarium.collector.job_folder import SealedFile
from armarium.collector.lease import Lease
from armarium.collector.pauses import Pauses, Trouble
from armarium.collector.server import Denied, Server, TooLarge
from armarium.core.collecting import CHUNK_BYTES, FileOffered, FileState, Held
from armarium.core.errors import Unavailable

log = structlog.get_logger(__name__)

RECEIVING, LANDED, STORED = "receiving", "landed", "stored"
MENDED = frozenset({"offset", "checksum", "no-offer"})  # refusals after which offering again helps
SMALLEST_CHUNK = 64 * 1024  # bytes: a proxy that takes no more has to be set up otherwise
MOST_MENDED = 5  # in a row, without getting any further: what is refused more often is refused for good

T = TypeVar("T")


async def patiently(lease: Lease, trouble: Trouble, call: Callable[[], Awaitable[T]]) -> T:
    """Until the server answers, or the lease is over."""
    pauses = Pauses()
    while True:
        lease.check()
        try:
            return await call()
        except Unavailable as error:
            trouble.met(str(error))
            pause = pauses.next()
            log.warning("server is away; trying again", pause_seconds=round(pause, 1), reason=str(error))
            await asyncio.sleep(min(pause, max(lease.left(), 0)))


@dataclass
class _Progress:
    """How far a file has got, and how often in a row it was refused since."""

    furthest: int = 0
    refused: int = 0

    def reached(self, received: int) -> None:
        if received > self.furthest:
            self.furthest, self.refused = received, 0


def is_there(state: FileState, size: int) -> bool:
    """Whether the server has all bytes, though it may not have looked at them yet."""
    return state.state in (LANDED, STORED) or state.received >= size


class Sending:
    """Sends the files of one job, under one attempt."""

    def __init__(self, server: Server, held: Held, lease: Lease, trouble: Trouble) -> None:
        self._server = server
        self._held = held
        self._lease = lease
        self._trouble = trouble
        self._most = CHUNK_BYTES  # in a piece, until a proxy on the way takes less
        self._progress: dict[str, _Progress] = {}

    async def send(self, path: Path, file: SealedFile, kind: str) -> FileState:
        """Until all of it is there."""
        pauses, progress = Pauses(), self._of(file)
        while progress.refused < MOST_MENDED:
            try:
                return await self._sent(path, self._offered(file, kind), progress)
            except Denied as denied:
                if denied.code not in MENDED:
                    raise
                if not progress.refused:
                    pauses.reset()
                progress.refused += 1
                log.warning("file has to be offered again", file=file.name, reason=str(denied))
                await asyncio.sleep(pauses.next())
        raise Denied(409, "not-taken", f"The server does not take the file {file.name}.", {})

    async def ask(self, file: SealedFile, kind: str) -> FileState:
        """What became of a file that was there; some of it is missing if it has to be sent again."""
        offered = self._offered(file, kind)
        try:
            state = await self._offer(offered)
        except Denied as denied:
            if denied.code not in MENDED:
                raise
            state = FileState(name=file.name, state=RECEIVING, received=-1)
        if not is_there(state, file.size):
            log.warning("file has to be sent again", file=file.name, received=state.received)
            self._of(file).refused += 1
        self._trouble.over()
        return state

    def _of(self, file: SealedFile) -> _Progress:
        return self._progress.setdefault(file.name, _Progress())

    def _offered(self, file: SealedFile, kind: str) -> FileOffered:
        return FileOffered(
            attempt=self._held.attempt, name=file.name, kind=kind, size=file.size, sha256=file.sha256
        )

    async def _offer(self, file: FileOffered) -> FileState:
        return await patiently(self._lease, self._trouble, lambda: self._server.offer(self._held.job, file))

    async def _sent(self, path: Path, file: FileOffered, progress: _Progress) -> FileState:
        pauses = Pauses()
        state = await self._offer(file)
        while not is_there(state, file.size):
            progress.reached(state.received)
            state = await self._sent_chunk(path, file, state.received, pauses)
        self._trouble.over()
        return state

    async def _sent_chunk(self, path: Path, file: FileOffered, offset: int, pauses: Pauses) -> FileState:
        """One piece. After a fault nobody knows what arrived: the server is asked."""
        chunk = await asyncio.to_thread(_chunk, path, offset, self._most)
        if not chunk:
            raise OSError(f"The file {path} is shorter than it was when it was sealed.")
        self._lease.check()
        try:
            state = await self._server.send(self._held.job, file, offset, chunk)
            pauses.reset()
            self._trouble.over()
        except Unavailable as error:
            log.warning("upload was cut; going on", file=file.name, offset=offset, reason=str(error))
            if isinstance(error, TooLarge) and len(chunk) > SMALLEST_CHUNK:
                self._most = max(len(chunk) // 2, SMALLEST_CHUNK)
            else:
                self._trouble.met(str(error))
                await asyncio.sleep(pauses.next())
            state = await self._offer(file)
        return state


def _chunk(path: Path, offset: int, most: int) -> bytes:
    with path.open("rb") as file:
        file.seek(offset)
        return file.read(most)
