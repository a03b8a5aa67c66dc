"""bench.testweb, served for a test: a web that knows what a crawl of it must find."""

import json
import os
import socket
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import forked

PATIENCE = 100.0  # seconds
CHECKOUT = Path(__file__).parents[3]
TESTWEB = "bench.testweb"
# Without a browser these must all be found; `js` needs one.
LEVELS = ("html", "css", "srcset", "meta", "embed", "nofollow", "sitemap")


@dataclass(frozen=True)
class Web:
    """A web that is being served."""

    folder: Path
    port: int
    log: Path

    @property
    def seeds(self) -> list[str]:
        return _testweb("seeds", str(self.folder)).split()

    def score(self, *warcs: Path) -> dict[str, Any]:
        """What was stored; without WARC files, what the server was asked for."""
        if not warcs:
            urllib.request.urlopen(f"http://127.0.0.1:{self.port}/flush").read()
            return dict(json.loads(_testweb("score", str(self.folder), "--log", str(self.log))))
        return dict(json.loads(_testweb("score", str(self.folder), "--warc", *map(str, warcs))))

    def forget(self) -> None:
        """Empty the server's log."""
        urllib.request.urlopen(f"http://127.0.0.1:{self.port}/reset").read()


@contextmanager
def served(folder: Path, *options: str, serving: tuple[str, ...] = ()) -> Iterator[Web]:
    """Build a web and serve it until the end of the block."""
    port = _free_port()
    web = Web(folder / "web", port, folder / "access.tsv")
    _testweb("build", str(web.folder), "--port", str(port), "--jobs", "1", *options)
    server = serving_of(web.folder, "--log", str(web.log), *serving)
    try:
        _wait_for(port)
        yield web
    finally:
        server.terminate()
        server.wait()


def serving_of(folder: Path, *options: str) -> forked.Popen:
    with Path(os.devnull).open("wb") as nowhere:
        return forked.start(
            TESTWEB,
            "serve",
            str(folder),
            "--quiet",
            *options,
            folder=CHECKOUT,
            environment=os.environ,
            out=nowhere,
            err=nowhere,
        )


def missed(score: dict[str, Any]) -> dict[str, float]:
    """The levels that were not found whole."""
    recall = score["recall"]
    return {
        level: recall[level]["recall"] for level in LEVELS if level in recall and recall[level]["recall"] < 1
    }


def _testweb(*arguments: str) -> str:
    command = [sys.executable, "-m", TESTWEB, *arguments]
    done = forked.run(command, cwd=CHECKOUT, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return str(done.stdout)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(port: int) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError(f"testweb does not listen on port {port}.")
