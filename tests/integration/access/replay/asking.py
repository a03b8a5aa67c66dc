"""Asking replay for captures of a world, in a line."""

from dataclasses import replace

from armarium.access.replay.engine import Replay
from armarium.access.replay.model import ReplayRequest, Reply
from tests.integration.access.world import World

DAY = "20200101000000"


class Asker:
    def __init__(self, world: World) -> None:
        self.world = world
        self.replay = Replay(world.site)

    def __call__(
        self,
        url: str,
        timestamp: str = DAY,
        mod: str = "mp_",
        *,
        method: str = "GET",
        body: bytes = b"",
        spread_days: int = 0,
        proxied: bool = False,
        insert: bytes = b"",
        **headers: str,
    ) -> "Answer":
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        request = ReplayRequest(self.world.view(), url, timestamp, mod, method, given, body)
        request = replace(request, spread_days=spread_days, proxied=proxied, insert=insert)
        return Answer(self.replay.answer(request))


class Answer:
    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        self.status = reply.status
        self.headers = {name.lower(): value for name, value in reply.headers}
        self.body = reply.body if isinstance(reply.body, bytes) else b"".join(reply.body)

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    @property
    def captured(self) -> str:
        """The timestamp of what was shown."""
        return self.headers["server-timing"].partition('"')[2].rstrip('"')
