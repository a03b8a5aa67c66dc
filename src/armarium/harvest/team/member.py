"""One process of a crawl that several share."""

import asyncio
import json
import os
import signal
import sys
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import structlog
import uvloop

from armarium.core.errors import ArmariumError
from armarium.harvest.crawl import Crawl
from armarium.harvest.engine.control import LONGEST_LINE, Verb, short_name
from armarium.harvest.engine.engine import End, Engine
from armarium.harvest.engine.visiting import Parts
from armarium.harvest.folder import CrawlFolder
from armarium.harvest.frontier import Frontier, FrontierFailed, Outgoing
from armarium.harvest.model import Candidate
from armarium.logs import configure_without_settings
from armarium.terminal.output import complain

# --- Carries addresses from one member of a team to the others.


log = structlog.get_logger(__name__)

AT_ONCE = 1000
PAUSE = 0.1  # seconds between looks into an empty outbox
RETRY = 1.0  # seconds until a member that does not listen is tried again


class Courier:
    """One for each member. `sockets` are those of all members, by number."""

    def __init__(self, frontier: Frontier, sockets: list[Path]) -> None:
        self._frontier = frontier
        self._sockets = sockets
        self._news: dict[int, list[dict[str, Any]]] = {number: [] for number in range(len(sockets))}
        self._lines: dict[int, tuple[asyncio.StreamReader, asyncio.StreamWriter]] = {}

    def announce(self, change: dict[str, Any]) -> None:
        """What changed here holds for the others, too: an opened range, a new host, a filter."""
        for shard, news in self._news.items():
            if shard != self._frontier.shard:
                news.append(change)

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            await asyncio.gather(*(self._tell(shard) for shard, news in self._news.items() if news))
            outgoing = self._frontier.outgoing(AT_ONCE)
            if not outgoing:
                await asyncio.sleep(PAUSE)
                continue
            by_shard: dict[int, list[Outgoing]] = {}
            for one in outgoing:
                by_shard.setdefault(one.shard, []).append(one)
            await asyncio.gather(*(self._deliver(shard, ours) for shard, ours in by_shard.items()))

    async def _tell(self, shard: int) -> None:
        news = self._news[shard]
        while news:
            if not await self._asked(shard, {"verb": "change", "change": news[0]}):
                return
            del news[0]

    async def _deliver(self, shard: int, outgoing: list[Outgoing]) -> None:
        document = {"verb": "incoming", "candidates": [list(one.candidate) for one in outgoing]}
        if await self._asked(shard, document):
            self._frontier.delivered(one.id for one in outgoing)

    async def _asked(self, shard: int, document: dict[str, Any]) -> bool:
        """Whether the other member did as it was asked; a while later, if it is not there."""
        try:
            answer = await self._ask(shard, document)
        except (ConnectionError, FileNotFoundError, ValueError) as error:
            log.info("member does not answer", member=shard, reason=str(error))
            self._lines.pop(shard, None)
            await asyncio.sleep(RETRY)
            return False
        return bool(answer.get("ok"))

    async def _ask(self, shard: int, document: dict[str, Any]) -> dict[str, Any]:
        line = self._lines.get(shard)
        if line is None:
            with short_name(self._sockets[shard]) as name:
                line = self._lines[shard] = await asyncio.open_unix_connection(name, limit=LONGEST_LINE)
        reader, writer = line
        writer.write(json.dumps(document).encode() + b"\n")
        await writer.drain()
        answer = await reader.readline()
        if not answer:
            raise ConnectionError("It closed the line.")
        return dict(json.loads(answer))


# --- One process of a crawl that several share.


ANOTHER_ENDS = 60.0  # seconds


def run_member(root: Path, number: int, count: int, lifeline: Connection) -> None:
    """The whole life of the process. It ends when the other end of the lifeline is gone."""
    configure_without_settings(process=f"crawl part {number}")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the coordinator decides
    order = CrawlFolder(root).read_order()
    folder = CrawlFolder(root, number)
    sockets = [CrawlFolder(root, other).control_file for other in range(count)]
    # If the crawl before was killed, its member is just about to notice.
    try:
        with folder.locked(patience=ANOTHER_ENDS):
            crawl = Crawl(folder, order, number, count)
            uvloop.run(_live(crawl, Courier(crawl.parts.frontier, sockets), lifeline))
    except ArmariumError as error:
        complain(str(error))
        sys.exit(1)


async def _live(crawl: Crawl, courier: Courier, lifeline: Connection) -> None:
    loop = asyncio.get_running_loop()
    loop.add_reader(lifeline.fileno(), crawl.engine.stop_at_once)
    crawl.parts.changes.tell = courier.announce
    await crawl.start(MemberVerbs(crawl.engine, crawl.parts).verbs())
    carrying = asyncio.create_task(courier.run())
    try:
        await crawl.crawl()
    finally:
        carrying.cancel()
        # A frontier that failed fails the engine, too, which says so in words for people.
        with suppress(asyncio.CancelledError, FrontierFailed):
            await carrying
        loop.remove_reader(lifeline.fileno())
    crawl.close()


class MemberVerbs:
    """What only a member of a team is asked."""

    def __init__(self, engine: Engine, parts: Parts) -> None:
        self._engine = engine
        self._parts = parts
        self._received = 0

    def verbs(self) -> dict[str, Verb]:
        return {
            "incoming": self.incoming,
            "change": self.change,
            "member": self.member,
            "allow": self.allow,
            "settle_sources": self.settle_sources,
            "allow_sources": self.allow_sources,
            "end": self.end,
        }

    async def change(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Another member changed something that holds for all."""
        parts = self._parts
        parts.changes.receive(asked["change"], parts.scope, parts.fetcher)
        parts.discovery.forget()
        return {}

    async def incoming(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Addresses from another member; answered when they are safe here."""
        candidates = [Candidate(*map(str, one)) for one in asked["candidates"]]
        self._parts.frontier.incoming(candidates)
        self._received += len(candidates)
        self._engine.stir()
        await self._engine.next_commit()
        return {}

    async def member(self, _: dict[str, Any]) -> dict[str, Any]:
        """What the coordinator needs to know."""
        engine = self._engine
        return {
            "process": os.getpid(),
            "idle": engine.idle,
            "unsent": self._parts.frontier.unsent,
            "received": self._received,
            "wanting": [tag for tag, purse in self._parts.frontier.purses.items() if purse.shelved],
            "silent": engine.silent,
            "inactive": engine.inactive,
        }

    async def allow(self, asked: dict[str, Any]) -> dict[str, Any]:
        """How many objects, or bytes, this member may have captured in all."""
        if "bytes" in asked:
            return {"used": self._engine.allow_bytes(int(asked["bytes"]))}
        return {"used": self._engine.allow(int(asked["objects"]))}

    async def settle_sources(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Give back what is not in use of these sources' budgets; what is."""
        settled = {}
        for tag in asked["tags"]:
            purse = self._parts.frontier.purses[tag]
            purse.allowed = purse.used
            most, volume = purse.budget
            facts = {"used": purse.used, "objects": purse.objects, "bytes": purse.bytes}
            settled[tag] = {**facts, "max_objects": most, "max_bytes": volume}
        return settled

    async def allow_sources(self, asked: dict[str, Any]) -> dict[str, Any]:
        """How many objects of each source this member may have captured."""
        self._parts.frontier.allow_sources(asked["allowed"])
        self._engine.stir()
        return {}

    async def end(self, asked: dict[str, Any]) -> dict[str, Any]:
        self._engine.stop(End(asked["reason"]))
        return {}
