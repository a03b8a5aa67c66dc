"""The web that is harvested: sites with pages, pictures, style sheets and scripts of the usual sizes.

    python -m bench.load.web FILE       until its input ends; FILE is told the port and the name server

Every body carries a marker that names its address and, of pages, the edition, so that a replayed body can be
told from any other. Pages change from edition to edition, everything else stays as it is.
"""

import argparse
import asyncio
import json
import random
import sys
from functools import lru_cache
from pathlib import Path

from tests.acceptance.planning.small_web import ADDRESSES, Small, host_of
from tests.sites.name_server import name_server

ARTICLES = 12  # of a site for readers
PAGES = 60  # of a site for collectors
PICTURES = 4  # on a page
LINKS = 60
LATENCY = 0.02  # seconds
CONTROL = "control.example"
_WORDS = ("armarium", "liber", "codex", "charta", "pagina", "folium", "custos", "lector", "index", "titulus")
_NOTHING = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"


def paper(number: int) -> str:
    """A site that readers read."""
    return f"paper-{number:03}.example"


def shop(number: int) -> str:
    """A site that collectors crawl meanwhile."""
    return f"shop-{number:04}.example"


def articles(host: str) -> int:
    return ARTICLES if host.startswith("paper-") else PAGES


def marker(host: str, path: str, edition: int = 0) -> str:
    """What the body at an address contains and no other has; `edition` of pages only."""
    return f"marker({host}{path}{f' edition {edition}' if edition else ''})"


def page(host: str, path: str, edition: int) -> bytes:
    """About 30 kB, with 60 links."""
    chance = random.Random(f"{host}{path}{edition}")  # noqa: S311  (repeatable, not secret)
    first = path.rpartition("/")[2]
    number = int(first) if first.isdigit() else 0
    parts = [
        f'<!doctype html><html><head><meta charset="utf-8"><title>{host} {number}</title>'
        f'<meta name="marker" content="{marker(host, path, edition)}">'
        '<link rel="stylesheet" href="/style.css"><script src="/script.js"></script></head><body>'
    ]
    pictures = range(number * PICTURES, (number + 1) * PICTURES)
    parts += [f'<img src="/picture/{one}.jpg" width="300" height="200" alt="">' for one in pictures]
    for link in range(LINKS):
        text = " ".join(chance.choices(_WORDS, k=60))
        to = "/" if link == 0 else f"/article/{(number + link) % articles(host)}"
        parts.append(f'<p class="text">{text} <a href="{to}">{link}</a></p>\n')
    return "".join([*parts, "</body></html>"]).encode()


def style(host: str) -> bytes:
    rules = "".join(f".c{n} {{ margin: {n}px; color: #{n:06x}; }}\n" for n in range(400))
    return f"/* {marker(host, '/style.css')} */\nbody {{ background: url(/back.png); }}\n{rules}".encode()


def script(host: str) -> bytes:
    steps = "".join(f"function step{n}(a) {{ return a + {n}; }}\n" for n in range(250))
    return f"// {marker(host, '/script.js')}\n{steps}".encode()


def picture(host: str, path: str) -> bytes:
    """8 to 60 kB that cannot be compressed."""
    chance = random.Random(f"{host}{path}")  # noqa: S311
    told = marker(host, path).encode()
    return b"\xff\xd8\xff\xe0" + told + chance.randbytes(chance.randrange(8_000, 60_000))


@lru_cache(512)
def body(host: str, path: str, edition: int) -> tuple[str, bytes] | None:
    """Type and content; None: there is no such thing."""
    if path == "/style.css":
        return "text/css", style(host)
    if path == "/script.js":
        return "text/javascript", script(host)
    if path == "/back.png" or path.startswith("/picture/"):
        return "image/jpeg", picture(host, path)
    if path == "/" or path.startswith(("/article/", "/column/")):
        return "text/html; charset=utf-8", page(host, path, edition)
    return None


class Web:
    edition = 1
    requests = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while request := await reader.readuntil(b"\r\n\r\n"):
                await asyncio.sleep(LATENCY)
                writer.write(self.answer(request))
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass  # whoever asked has gone
        finally:
            writer.close()

    def answer(self, request: bytes) -> bytes:
        path, host = request.split(b" ")[1].decode(), host_of(request)
        self.requests += 1
        if host == CONTROL:
            self.edition = int(path.rpartition("/")[2])
            return b"HTTP/1.1 204 No Content\r\n\r\n"
        found = body(host, path, self.edition)
        if found is None:
            return _NOTHING
        kind, content = found
        return (
            f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(content)}\r\n\r\n".encode()
            + content
        )


async def _run(told: Path, names: str) -> None:
    web = Web()
    first = await asyncio.start_server(web.serve, ADDRESSES[0], 0)
    port = int(first.sockets[0].getsockname()[1])
    await asyncio.start_server(web.serve, [*ADDRESSES[1:], "127.0.0.1"], port)
    await asyncio.to_thread(told.write_text, json.dumps({"port": port, "name_server": names}))
    await asyncio.to_thread(sys.stdin.read)  # until whoever started it is gone


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.load.web")
    parser.add_argument("file", type=Path)
    with name_server(Small([])) as names:
        asyncio.run(_run(parser.parse_args().file, names.address))


if __name__ == "__main__":
    main()
