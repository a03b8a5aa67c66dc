"""testweb: a web on loopback that knows what a crawl of it should find. Built, served and scored here."""

import json
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).parents[2]
TESTWEB = (sys.executable, "-m", "bench.testweb")
EMBEDS = "127.3.0.1"  # the host from which pages of all sites embed; it is no site itself


@dataclass(frozen=True)
class Size:
    sites: int
    pages: int

    def __str__(self) -> str:
        return f"{self.sites} × {self.pages:,} pages"


@dataclass(frozen=True)
class Web:
    """A web that is being served."""

    folder: Path
    port: int
    log: Path

    @property
    def seeds(self) -> Path:
        """A file, one seed a line."""
        return self.folder / "seeds.txt"

    @property
    def sites(self) -> list[str]:
        """The addresses of the sites, without the port."""
        return [line.split("/")[2].rpartition(":")[0] for line in self.seeds.read_text().split()]

    def forget(self) -> None:
        """Empty the server's log."""
        self._ask("reset")

    def score(self) -> dict[str, Any]:
        """What the server was asked for since its log was emptied, beside what there is."""
        self._ask("flush")
        return dict(json.loads(_call("score", str(self.folder), "--log", str(self.log))))

    def _ask(self, verb: str) -> None:
        urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{verb}").read()


@contextmanager
def served(folder: Path, size: Size) -> Iterator[Web]:
    """Build a web and serve it until the end of the block."""
    port = free_port()
    web = Web(folder / "web", port, folder / "access.tsv")
    shape = ("--sites", str(size.sites), "--pages", str(size.pages), "--port", str(port))
    _call("build", str(web.folder), *shape)
    command = [*TESTWEB, "serve", str(web.folder), "--log", str(web.log), "--quiet"]
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL, cwd=CHECKOUT)  # noqa: S603
    try:
        _wait_for(port)
        yield web
    finally:
        server.terminate()
        server.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _call(*arguments: str) -> str:
    command = [*TESTWEB, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=CHECKOUT)  # noqa: S603
    return done.stdout


def _wait_for(port: int) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError(f"testweb does not listen on port {port}. Is SO_BINDTODEVICE allowed to this account?")
