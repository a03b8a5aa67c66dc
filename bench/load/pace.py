"""The pauses that people make, and the end of the run, at which everybody finishes what was begun."""

import asyncio
import random
from dataclasses import dataclass


class Over(Exception):  # noqa: N818
    """The run has ended."""


@dataclass(frozen=True)
class Pace:
    chance: random.Random
    least: float  # seconds
    most: float
    over: asyncio.Event

    def think(self) -> float:
        return self.chance.uniform(self.least, self.most)

    async def pause(self, seconds: float | None = None) -> None:
        """`seconds`: other than those that somebody thinks."""
        try:
            async with asyncio.timeout(self.think() if seconds is None else seconds):
                await self.over.wait()
        except TimeoutError:
            return
        raise Over
