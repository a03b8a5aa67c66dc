"""Asks the engine over its control socket, without ever holding up the collector."""

import asyncio
import json
from pathlib import Path
from typing import Any

from armarium.core.errors import Refused, Unavailable
from armarium.harvest.engine.control import LONGEST_LINE, short_name


async def ask(control_file: Path, verb: str, arguments: dict[str, Any], *, seconds: float) -> dict[str, Any]:
    """Raises `Unavailable` where nobody crawls or answers in time, `Refused` with what the crawl objects."""
    try:
        async with asyncio.timeout(seconds):
            line = await _asked(control_file, json.dumps({**arguments, "verb": verb}).encode() + b"\n")
        answer: dict[str, Any] = json.loads(line)
    except TimeoutError:
        raise Unavailable(f"The crawl did not answer within {seconds:.0f} seconds.") from None
    except (OSError, ValueError):
        raise Unavailable("The crawl does not answer: it starts just now, or has just ended.") from None
    if not answer.pop("ok"):
        raise Refused(str(answer.get("error")))
    return answer


async def _asked(control_file: Path, line: bytes) -> bytes:
    with short_name(control_file) as name:
        reader, writer = await asyncio.open_unix_connection(name, limit=LONGEST_LINE)
    try:
        writer.write(line)
        await writer.drain()
        return await reader.readline()
    finally:
        writer.close()
