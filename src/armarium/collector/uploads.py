"""The sealed files of a job, on their way to the server.

Each is measured once. What the server has of it is asked before anything is sent, so that an upload goes on
where it was cut, by whoever and whatever.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import structlog

from armarium.collector.job_folder import JobFolder, SealedFile
from armarium.collector.lease import Lease
from armarium.collector.patience import Pauses
from armarium.collector.room import make_room
from armarium.collector.server import Denied, Server
from armarium.core.collecting import CHUNK_BYTES, FileOffered, FileState, Held
from armarium.core.errors import Unavailable

log = structlog.get_logger(__name__)

SEALED = "*.warc.gz"
METADATA = "-metadata-"
STORED = "stored"
LOOK = 2.0  # seconds between two looks for new files
MENDED = frozenset({"offset", "checksum", "no-offer"})  # refusals after which offering again helps
MOST_MENDED = 5  # in a row, without getting any further: what is refused more often is refused for good

T = TypeVar("T")


async def patiently(lease: Lease, call: Callable[[], Awaitable[T]]) -> T:
    """Until the server answers, or the lease is over."""
    pauses = Pauses()
    while True:
        lease.check()
        try:
            return await call()
        except Unavailable as error:
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


class Uploads:
    """Of one job, under one attempt."""

    def __init__(self, server: Server, held: Held, folder: JobFolder, lease: Lease) -> None:
        self._server = server
        self._held = held
        self._folder = folder
        self._lease = lease
        self._files = folder.files()
        self._stored: set[str] = set()  # as this attempt has heard
        self._turn = asyncio.Lock()

    @property
    def names(self) -> tuple[str, ...]:
        """All files that the job has made."""
        return tuple(sorted(self._files))

    @property
    def stored(self) -> tuple[str, ...]:
        """Also those that an earlier attempt has sent, and deleted where the disk was short."""
        known = {file.name for file in self._files.values() if file.stored}
        return tuple(sorted(self._stored | known))

    def forget(self, names: Iterable[str]) -> None:
        """The server has them not, whatever it said."""
        gone = set(names)
        self._stored -= gone
        for name in gone & self._files.keys():
            self._keep(replace(self._files[name], stored=False))

    async def follow(self, room: int = 0) -> None:
        """Send files as they appear, for ever. `room`: bytes that should be free on the disk meanwhile."""
        while True:
            await self.send_all()
            await asyncio.to_thread(make_room, self._folder, self._stored, room)
            await asyncio.sleep(LOOK)

    async def send_all(self) -> None:
        """Send what is there now."""
        async with self._turn:
            while waiting := self._waiting():
                for path in waiting:
                    await self._send(path, await self._measured(path))

    def _waiting(self) -> list[Path]:
        paths = sorted(self._folder.crawl.warcs.glob(SEALED))
        return [path for path in paths if path.name not in self._stored]

    async def _measured(self, path: Path) -> SealedFile:
        known = self._files.get(path.name)
        if known is None:  # what is sealed does not change
            known = SealedFile(path.name, *await asyncio.to_thread(_size_and_digest, path))
            self._keep(known)
        return known

    async def _send(self, path: Path, file: SealedFile) -> None:
        kind = "metadata" if METADATA in file.name else "data"
        offered = FileOffered(
            attempt=self._held.attempt, name=file.name, kind=kind, size=file.size, sha256=file.sha256
        )
        pauses, progress = Pauses(), _Progress()
        while progress.refused < MOST_MENDED:
            try:
                await self._sent(path, offered, progress)
            except Denied as denied:
                if denied.code not in MENDED:
                    raise
                if not progress.refused:
                    pauses.reset()
                progress.refused += 1
                log.warning("file has to be offered again", file=file.name, reason=str(denied))
                await asyncio.sleep(pauses.next())
            else:
                self._stored.add(file.name)
                self._keep(replace(file, stored=True))
                log.info("file stored", job=self._held.job, file=file.name, bytes=file.size)
                return
        raise Denied(409, "not-taken", f"The server does not take the file {file.name}.", {})

    async def _sent(self, path: Path, file: FileOffered, progress: _Progress) -> None:
        job = self._held.job
        state = await patiently(self._lease, lambda: self._server.offer(job, file))
        pauses = Pauses()
        while state.state != STORED:
            progress.reached(state.received)
            if state.received >= file.size:  # all is there; the server works on it
                await asyncio.sleep(pauses.next())
                state = await patiently(self._lease, lambda: self._server.offer(job, file))
            else:
                state = await self._sent_chunk(path, file, state.received, pauses)

    async def _sent_chunk(self, path: Path, file: FileOffered, offset: int, pauses: Pauses) -> FileState:
        """One piece. After a fault nobody knows what arrived: the server is asked."""
        chunk = await asyncio.to_thread(_chunk, path, offset)
        if not chunk:
            raise OSError(f"The file {path} is shorter than it was when it was sealed.")
        self._lease.check()
        try:
            state = await self._server.send(self._held.job, file, offset, chunk)
            pauses.reset()
        except Unavailable as error:
            log.warning("upload was cut; going on", file=file.name, offset=offset, reason=str(error))
            await asyncio.sleep(pauses.next())
            state = await patiently(self._lease, lambda: self._server.offer(self._held.job, file))
        return state

    def _keep(self, file: SealedFile) -> None:
        self._files[file.name] = file
        self._folder.keep_files(self._files.values())


def _chunk(path: Path, offset: int) -> bytes:
    with path.open("rb") as file:
        file.seek(offset)
        return file.read(CHUNK_BYTES)


def _size_and_digest(path: Path) -> tuple[int, str]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return file.tell(), digest
