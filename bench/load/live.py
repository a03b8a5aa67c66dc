"""The live parts of a page: a stream of events, and what a browser then fetches again."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from urllib.parse import urlencode

from bench.load.noting import Notes
from bench.load.talking import LARGEST_HEAD, next_chunk, parse_head

GATHERED = 0.3  # seconds in which several changes become one fetch, as in live.js

Parts = Sequence[tuple[Sequence[str], str]]  # topics, and the address of the part
Fetch = Callable[[str], Awaitable[object]]


async def watch(
    port: int, source: str, cookie: str, parts: Parts, fetch: Fetch, notes: Notes, seconds: float
) -> None:
    """For so long; what is being fetched then is fetched to its end."""
    end = time.monotonic() + seconds
    topics = urlencode([("topic", one) for topics, _ in parts for one in topics])
    writer = None
    try:
        with notes.timed("live stream"):
            reader, writer = await asyncio.open_connection(
                "127.0.0.1", port, local_addr=(source, 0), limit=LARGEST_HEAD
            )
            writer.write(
                f"GET /live?{topics} HTTP/1.1\r\nHost: localhost:{port}\r\nAccept: text/event-stream\r\n"
                f"Cookie: {cookie}\r\nSec-Fetch-Site: same-origin\r\n\r\n".encode()
            )
            status, _, _ = parse_head(await reader.readuntil(b"\r\n\r\n"))
        if status != 200:
            notes.fault("live stream", f"{status} {topics}")
            return
        await _follow(reader, parts, fetch, notes, end)
    except (OSError, EOFError) as error:
        notes.fault("live stream", f"{type(error).__name__}: {error}")
    finally:
        if writer is not None:
            writer.close()


async def _follow(reader: asyncio.StreamReader, parts: Parts, fetch: Fetch, notes: Notes, end: float) -> None:
    while (left := end - time.monotonic()) > 0:
        try:
            async with asyncio.timeout(left):
                piece = await next_chunk(reader)
        except TimeoutError:
            return
        if not piece:
            notes.fault("live stream", "the server ended it")
            return
        lines = piece.decode().split("\n")
        changed = {line.removeprefix("data:").strip() for line in lines if line.startswith("data:")}
        addresses = dict.fromkeys(address for topics, address in parts if changed & set(topics))
        if addresses:
            await asyncio.sleep(GATHERED)
        for address in addresses:
            await fetch(address)
