"""Carries addresses from one member of a team to the others."""

import asyncio
import json
from pathlib import Path
from typing import Any

import structlog

from armarium.harvest.engine.control import LONGEST_LINE, short_name
from armarium.harvest.frontier import Frontier, Outgoing

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
