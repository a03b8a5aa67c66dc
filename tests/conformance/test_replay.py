"""Files of other people, replayed: every capture that is indexed can be asked for, raw and rewritten."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from armarium.access.model import Seen
from armarium.access.replay.engine import Replay
from armarium.access.replay.model import ReplayRequest, Reply
from armarium.formats.cdx.query import Match, Query
from tests.integration.access.world import World, world_of

ENDINGS = (".warc", ".warc.gz", ".arc", ".arc.gz", ".warc.zst")
LARGEST = 3_000_000  # bytes of a file that is taken
MOST = 40  # captures of each


def archives(corpora: Path) -> Iterator[Path]:
    for folder in ("warc", "arc"):
        for file in sorted((corpora / folder).rglob("*")):
            if file.name.endswith(ENDINGS) and file.is_file() and file.stat().st_size < LARGEST:
                yield file


def captures(world: World) -> Iterator[Seen]:
    for number, seen in enumerate(world.view().all(Query(match=Match.RANGE, limit=MOST))):
        if number >= MOST:
            return
        if (seen.line.url or "").startswith(("http://", "https://")) and seen.line.text("method") is None:
            yield seen


def body_of(reply: Reply) -> bytes:
    return reply.body if isinstance(reply.body, bytes) else b"".join(reply.body)


@pytest.mark.timeout(300)
def test_every_capture_of_the_corpora_is_answered(corpora: Path, tmp_path: Path) -> None:
    answered = 0
    for number, file in enumerate(archives(corpora)):
        folder = tmp_path / str(number)
        folder.mkdir()
        world = world_of(folder, [], files=[file])
        replay = Replay(world.site)
        for seen in captures(world):
            for mod in ("mp_", "id_"):
                request = ReplayRequest(world.view(), seen.line.url or "", seen.line.timestamp, mod)
                reply = replay.answer(request)
                headers = {name.lower(): value for name, value in reply.headers}
                where = f"{file.name} {seen.line.timestamp}{mod}/{seen.line.url}"
                assert headers.get("x-armarium-reason") in (None, "unreadable", "circle"), where
                assert headers.get("content-length") in (None, str(len(body_of(reply)))), where
                answered += 1
    assert answered > 500
