"""The socket by which a running crawl is asked and told things: one JSON document a line, each way.

The socket is a file in the crawl's folder that only its owner can open. A line in is `{"verb": …, …}`; a line
out is `{"ok": true, …}` or `{"ok": false, "error": …}`, with `"later": true` if the same may succeed later.
"""

import asyncio
import json
import os
import socket
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from armarium.core.errors import ArmariumError, Refused, Unavailable
from armarium.harvest.frontier import FrontierFailed

LONGEST_LINE = 16 * 1024 * 1024
ANSWER_SECONDS = 60.0

Verb = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]


class ControlServer:
    """Answers with verbs, each a coroutine that takes the document and gives one back."""

    def __init__(self, path: Path, verbs: Mapping[str, Verb]) -> None:
        self._path = path
        self._verbs = verbs
        self._server: asyncio.Server | None = None
        self._callers: set[asyncio.StreamWriter] = set()

    async def start(self) -> None:
        self._path.unlink(missing_ok=True)  # of a crawl that was killed; the lock tells that it is gone
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        with short_name(self._path) as name:
            listening.bind(name)
        self._path.chmod(0o600)
        self._server = await asyncio.start_unix_server(self._serve, sock=listening, limit=LONGEST_LINE)

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
            self._path.unlink(missing_ok=True)
            for caller in self._callers:
                caller.close()
            await asyncio.sleep(0)  # they notice, and go

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._callers.add(writer)
        try:
            while line := await reader.readline():
                writer.write(json.dumps(await self._answer(line)).encode() + b"\n")
                await writer.drain()
        except (ConnectionError, ValueError, asyncio.CancelledError):
            pass  # a caller that left, a line without end, or we leave
        finally:
            self._callers.discard(writer)
            writer.close()

    async def _answer(self, line: bytes) -> dict[str, Any]:
        try:
            asked = json.loads(line)
            verb = self._verbs[asked["verb"]]
        except (ValueError, KeyError, TypeError):
            known = ", ".join(sorted(self._verbs))
            return {"ok": False, "error": f"This is no request of ours. A crawl understands: {known}."}
        try:
            return {"ok": True} | await verb(asked)
        except KeyError as error:
            return {"ok": False, "error": f"The request lacks {error}."}
        except (OSError, FrontierFailed) as error:
            told = f"The crawl cannot write to its disk: {error}. Make room; should it have ended, resume it."
            return {"ok": False, "later": True, "error": told}
        except (ArmariumError, ValueError, TypeError) as error:
            return {"ok": False, "later": isinstance(error, Unavailable), "error": str(error)}


class Caller:
    """The other end: asks a crawl that runs in a folder."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def ask(self, verb: str, **facts: object) -> dict[str, Any]:
        """Ask one thing; raises `Refused` with what the crawl objects, `Unavailable` where nobody crawls or
        the crawl is not able to answer now, because its disk is full, say.
        """
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
                connection.settimeout(ANSWER_SECONDS)
                with short_name(self._path) as name:
                    connection.connect(name)
                connection.sendall(json.dumps({"verb": verb} | facts).encode() + b"\n")
                with connection.makefile("rb") as answers:
                    line = answers.readline(LONGEST_LINE)
        except (FileNotFoundError, ConnectionError):
            raise Unavailable(f"No crawl is running in {self._path.parent.parent}.") from None
        except TimeoutError:
            raise Unavailable(f"The crawl did not answer within {ANSWER_SECONDS:.0f} seconds.") from None
        if not line:
            raise Unavailable("The crawl ended before it answered.")
        answer: dict[str, Any] = json.loads(line)
        if not answer.pop("ok"):
            raise (Unavailable if answer.get("later") else Refused)(str(answer.get("error")))
        return answer


class short_name:  # noqa: N801  (used like the context managers of contextlib)
    """A name for a socket that fits: the system takes 107 bytes, and folders can be deeper than that."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._folder = -1

    def __enter__(self) -> str:
        self._folder = os.open(self._path.parent, os.O_PATH | os.O_DIRECTORY)
        return f"/proc/self/fd/{self._folder}/{self._path.name}"

    def __exit__(self, *_: object) -> None:
        os.close(self._folder)
