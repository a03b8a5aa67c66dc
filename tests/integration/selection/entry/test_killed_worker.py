"""A worker that is killed in the middle of a list: another one goes on with the rest."""

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from armarium.db.database import Database
from armarium.selection.entry.model import ENDED, LineState
from tests.integration.selection.entry.desk import WEB, desk, titled, working
from tests.site import wait_until
from tests.sites.serving import Site, Visit, serving

PATIENCE = 120.0
LINES = 8


@contextmanager
def hesitating(released: threading.Event) -> Iterator[Site]:
    """Answers at once, but for the fourth address: that one only when it is released."""

    async def behaviour(visit: Visit) -> None:
        while request := await visit.request():
            if request.startswith(b"GET /3 "):
                await asyncio.to_thread(released.wait, PATIENCE)
            await visit.send(titled("A page"))

    with serving(behaviour, host=WEB) as site:
        yield site


def asked(site: Site) -> Counter[str]:
    return Counter(request.split(b" ")[1].decode() for request in site.requests)


def test_the_rest_of_a_list_is_looked_at_by_another_worker(database: Database, tmp_path: Path) -> None:
    released = threading.Event()
    with ExitStack() as stack:
        ours = stack.enter_context(desk(database))
        site = stack.enter_context(hesitating(released))
        addresses = "\n".join(f"{site.address}{number}" for number in range(LINES))
        batch = ours.checks.enter(ours.library.ada, ours.library.press.id, addresses)

        def states() -> list[LineState]:
            return [line.state for line in ours.checks.lines(batch.id)]

        first = stack.enter_context(working("worker", database, tmp_path))
        wait_until(lambda: asked(site)["/3"] == 1, PATIENCE)
        first.kill()
        first.wait()
        assert states() == [LineState.FINE] * 3 + [LineState.CHECKING] + [LineState.WAITING] * (LINES - 4)
        released.set()
        stack.enter_context(working("scheduler", database, tmp_path))
        stack.enter_context(working("worker", database, tmp_path))
        wait_until(lambda: set(states()) <= ENDED, PATIENCE)
        assert states() == [LineState.FINE] * LINES
    times = asked(site)
    assert [times[f"/{number}"] for number in range(LINES)] == [1, 1, 1, 2] + [1] * (LINES - 4)
