import asyncio
import multiprocessing
from types import SimpleNamespace
from typing import Any, cast

import pytest

from armarium.core.errors import Unavailable
from armarium.harvest.frontier import FrontierFailed
from armarium.harvest.team.member import _live


class FullDisk:
    """A crawl and its courier whose frontier can be written no more."""

    def __init__(self) -> None:
        self.engine = SimpleNamespace(stop_at_once=None, allow=None)
        self.parts = SimpleNamespace(changes=SimpleNamespace(), frontier=None)

    def announce(self, change: dict[str, Any]) -> None:
        """Nobody listens."""

    async def start(self, _: object) -> None:
        """There is nothing to start."""

    async def run(self) -> None:
        raise FrontierFailed("disk full")

    async def crawl(self) -> None:
        await asyncio.sleep(0)
        raise Unavailable("Make room, then go on.")


def test_a_full_disk_is_told_in_words_though_the_courier_meets_it_too() -> None:
    disk = cast(Any, FullDisk())
    ours, _theirs = multiprocessing.Pipe()
    with pytest.raises(Unavailable, match="Make room"):
        asyncio.run(_live(disk, disk, ours))
