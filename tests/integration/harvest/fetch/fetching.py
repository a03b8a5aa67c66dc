"""A real fetcher for a test, on the event loop that crawls use."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import uvloop

from armarium.core.crawl_order import Fetching, Identity, Limits
from armarium.harvest.fetch import Exchange, Fetcher

T = TypeVar("T")
LOOPBACK = ("127.0.0.0/8", "::1/128")


def with_fetcher(
    folder: Path,
    work: Callable[[Fetcher], Awaitable[T]],
    order: Fetching | None = None,
    limits: Limits | None = None,
    identity: Identity | None = None,
) -> T:
    async def run() -> T:
        fetcher = Fetcher(order or ordered(), limits or Limits(), identity or Identity(), folder=folder)
        await fetcher.start()
        try:
            return await work(fetcher)
        finally:
            await fetcher.close()

    return uvloop.run(run())


def ordered(**settings: object) -> Fetching:
    """An order that may visit the loopback and does not wait long."""
    usual: dict[str, object] = {
        "allowed_ranges": LOOPBACK,
        "connect_seconds": 3.0,
        "silence_seconds": 3.0,
        "dns_servers": ("127.0.0.1:1",),
    }
    return Fetching.model_validate(usual | settings)


def fetched(folder: Path, url: str, order: Fetching | None = None, limits: Limits | None = None) -> Exchange:
    return with_fetcher(folder, lambda fetcher: fetcher.fetch(url), order, limits)


def fetched_often(folder: Path, url: str, times: int, order: Fetching | None = None) -> list[Exchange]:
    async def work(fetcher: Fetcher) -> list[Exchange]:
        return [await fetcher.fetch(url) for _ in range(times)]

    return with_fetcher(folder, work, order)


def body_of(exchange: Exchange) -> bytes:
    return b"".join(exchange.response.pieces(exchange.response.head_length))


def wire_of(exchange: Exchange) -> bytes:
    return b"".join(exchange.response.pieces())
