"""SQLite takes back what was not committed when its disk is full: the crawl ends in order, to be resumed."""

import asyncio
from pathlib import Path

from armarium.core.crawl_order import CrawlOrder
from armarium.harvest.crawl import Crawl
from armarium.harvest.engine.engine import End
from armarium.harvest.folder import CrawlFolder


def test_it_ends_the_crawl_where_a_timer_notices_it(tmp_path: Path) -> None:
    order = CrawlOrder.model_validate({"name": "x", "seeds": [{"url": "http://127.0.0.1:9/"}]})

    async def ended() -> End | None:
        Crawl(CrawlFolder(tmp_path / "x"), order).close()
        crawl = Crawl(CrawlFolder(tmp_path / "x"), order)  # its queue is on the disk, to be read
        crawl.parts.frontier._store.open().execute("ROLLBACK")
        crawl.engine.stir()
        await asyncio.sleep(0)
        crawl.close()
        return crawl.engine.end

    assert asyncio.run(ended()) is End.INTERRUPTED
