"""The sealed files of a job: sent as they appear, and waited for until every replica has them.

Each is measured once. The index that lies beside a file goes before it. Nobody waits for a file that has
landed before the next one is sent: the replicas may take their time, and are asked after now and then.
"""

import asyncio
import hashlib
import json
import shutil
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import structlog

from armarium.collector.job_folder import JobFolder, Lease, SealedFile
from armarium.collector.pauses import Pauses, Trouble
from armarium.collector.server import Denied, Server, TooLarge
from armarium.core.collecting import CHUNK_BYTES, FileOffered, FileState, Held
from armarium.core.errors import Unavailable
from armarium.harvest.frontier.enquiry import FrontierReader
from armarium.harvest.record.companion import companion_of

# --- One file on its way to the server.
#
# What the server has of it is asked before anything is sent, so that an upload goes on where it was cut, by
# whoever and whatever.
#
# receiving ──last byte, digest as offered──▶ landed ──in every replica──▶ stored


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


# --- The sealed files of a job: sent as they appear, and waited for until every replica has them.


# --- Room on the disk while a job runs, where it is short: files that nobody here needs any more are deleted.
#
# A file may go once the server has stored it and the crawl has committed all that is in it: from then on a
# crawl that is gone on with never reads it. Should the machine lose power in the wrong moment, some addresses
# are fetched once more; nothing is lost. Crawls of several processes keep their files: a position that one of
# them has committed says nothing about the others.


def make_room(folder: JobFolder, stored: Collection[str], wanted: int) -> None:
    """Delete such files, the oldest first, until so many bytes are free."""
    if shutil.disk_usage(folder.root).free >= wanted:
        return
    committed = _committed(folder.crawl.frontier_file)
    for path in sorted(folder.crawl.warcs / name for name in stored):
        if shutil.disk_usage(folder.root).free >= wanted:
            return
        if path.exists() and committed.get(path.name, -1) >= path.stat().st_size:
            path.unlink()
            companion_of(path).unlink(missing_ok=True)
            log.info("stored file deleted, as the disk is nearly full", file=path.name)


def _committed(frontier_file: Path) -> Mapping[str, int]:
    """How far each file was written when the crawl last committed."""
    if not frontier_file.exists():
        return {}
    reader = FrontierReader(frontier_file)
    try:
        found: dict[str, int] = json.loads(str(reader.recall("warcs") or "{}"))
    finally:
        reader.close()
    return found


# --- The sealed files of a job: sent as they appear, and waited for until every replica has them.


log = structlog.get_logger(__name__)

SEALED = "*.warc.gz"
DATA, METADATA, INDEX = "data", "metadata", "index"  # kinds of files
DESCRIBES = "-metadata-"  # in the name of the file that describes the crawl
LOOK = 2.0  # seconds between two looks for new files
FIRST_ASKED = 0.5  # seconds until the server is asked after files that have landed; then less often
LONGEST_ASKED = 20.0
GROWTH = 1.5
MOST_ASKED = 20  # files at a time


@dataclass
class _Asking:
    """When to ask again: soon after something happened, and then less and less often."""

    seconds: float = field(default_factory=lambda: FIRST_ASKED)
    last: float = 0.0

    @property
    def left(self) -> float:
        return max(self.last + self.seconds - time.monotonic(), 0.0)

    def asked(self, *, in_vain: bool) -> None:
        self.last = time.monotonic()
        self.seconds = min(self.seconds * GROWTH, LONGEST_ASKED) if in_vain else FIRST_ASKED


class Uploads:
    """Of one job, under one attempt."""

    def __init__(self, server: Server, held: Held, folder: JobFolder, lease: Lease) -> None:
        self._held = held
        self._folder = folder
        self.trouble = Trouble()
        self._sending = Sending(server, held, lease, self.trouble)
        self._files = folder.files()
        self._landed: dict[str, SealedFile] = {}  # in this order; the replicas have them not all
        self._stored: set[str] = set()  # as this attempt has heard
        self._indexed: set[str] = set()  # whose index was sent, or is not wanted
        self._asking = _Asking()
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

    def report(self) -> dict[str, int | str]:
        """How many files are still to be sent, how many wait for the replicas, and what holds them up."""
        counts = {"files_unsent": len(self._unsent()), "files_landed": len(self._landed)}
        return {**counts, **self.trouble.report()}

    def forget(self, names: Iterable[str]) -> None:
        """The server has them not, whatever it said."""
        gone = set(names)
        self._stored -= gone
        for name in gone & self._files.keys():
            self._landed.pop(name, None)
            self._keep(replace(self._files[name], stored=False))

    async def follow(self, room: int = 0) -> None:
        """Send files as they appear, for ever. `room`: bytes that should be free on the disk meanwhile."""
        while True:
            await self.send_all()
            await self._ask()
            await asyncio.to_thread(make_room, self._folder, self._stored, room)
            await asyncio.sleep(LOOK)

    async def deliver(self) -> None:
        """Send what is there now, until every replica has it."""
        await self.send_all()
        while self._landed:
            await asyncio.sleep(self._asking.left)
            await self._ask()
            await self.send_all()

    async def send_all(self) -> None:
        """Send what is there now. The replicas are not waited for."""
        async with self._turn:
            while unsent := self._unsent():
                for path in unsent:
                    await self._send_index(path)
                    file = await self._measured(path)
                    self._note(file, await self._sending.send(path, file, _kind(file)))

    async def _ask(self) -> None:
        """Ask after files that have landed, if it is time; what the server has lost is sent again."""
        async with self._turn:
            if not self._landed or self._asking.left:
                return
            before = len(self._landed)
            for file in list(self._landed.values())[:MOST_ASKED]:
                state = await self._sending.ask(file, _kind(file))
                del self._landed[file.name]
                if is_there(state, file.size):
                    self._note(file, state)  # to the end of the line, unless it is stored
            self._asking.asked(in_vain=len(self._landed) == before)

    def _unsent(self) -> list[Path]:
        paths = sorted(self._folder.crawl.warcs.glob(SEALED))
        return [path for path in paths if path.name not in self._stored and path.name not in self._landed]

    async def _measured(self, path: Path) -> SealedFile:
        known = self._files.get(path.name)
        if known is None:  # what is sealed does not change
            known = await asyncio.to_thread(_sealed, path)
            self._keep(known)
        return known

    async def _send_index(self, path: Path) -> None:
        """A convenience for the server, which can make it of the file: without it, the file is sent too."""
        companion = companion_of(path)
        if path.name in self._indexed or not companion.exists():
            return
        try:
            await self._sending.send(companion, await asyncio.to_thread(_sealed, companion), INDEX)
        except Denied as denied:
            log.warning("index of a file is not taken", file=companion.name, reason=str(denied))
        self._indexed.add(path.name)

    def _note(self, file: SealedFile, state: FileState) -> None:
        """All of it is there; and perhaps everywhere."""
        if state.state == STORED:
            self._stored.add(file.name)
            self._keep(replace(file, stored=True))
            log.info("file stored", job=self._held.job, file=file.name, bytes=file.size)
        else:
            self._landed[file.name] = file

    def _keep(self, file: SealedFile) -> None:
        self._files[file.name] = file
        self._folder.keep_files(self._files.values())


def _kind(file: SealedFile) -> str:
    return METADATA if DESCRIBES in file.name else DATA


def _sealed(path: Path) -> SealedFile:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return SealedFile(path.name, file.tell(), digest)
