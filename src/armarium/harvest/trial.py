"""An order is tried before it is begun: what it names must be there, and fit."""

import asyncio
import tempfile
from pathlib import Path

from armarium.core.clock import now
from armarium.core.crawl_order import CrawlOrder
from armarium.core.errors import Refused
from armarium.formats.warc.rotation import Naming
from armarium.harvest.fetch.fetcher import Fetcher
from armarium.harvest.record.duplicates import Duplicates
from armarium.harvest.scope import Scope


def try_order(order: CrawlOrder) -> None:
    """Raises `Refused` with what cannot be used. Nothing is fetched, and nothing is left behind."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            _try(order, Path(folder))
    except (ValueError, OSError) as error:
        raise Refused(f"The order cannot be used: {error}") from None


def _try(order: CrawlOrder, folder: Path) -> None:
    Scope(order.scope, [seed.url for seed in order.seeds])
    values = (*order.recording.values.items(), ("host", "host"))
    Naming(order.recording.template, values).name(now(), 0)
    asyncio.run(_try_fetcher(Fetcher(order.fetching, order.limits, order.identity, folder=folder)))
    for index in order.recording.digest_index:
        with Path(index).open("rb") as file:
            file.read(1)
    Duplicates(order.recording.model_copy(update={"digest_index": ()}), folder).close()


async def _try_fetcher(fetcher: Fetcher) -> None:
    await fetcher.start()
    await fetcher.close()
