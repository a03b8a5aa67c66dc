"""Folders as web sites on loopback: each at an address of its own, all by one plain static server.

The server says which files it gave to whom; what is not there is answered with 404, a folder without an
index.html too.
"""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit


@dataclass
class Site:
    name: str
    folder: Path
    host: str
    start: str  # the page to begin with, as a path
    given: set[str] = field(default_factory=set)  # files that somebody asked for, as paths

    def forget(self) -> None:
        self.given.clear()


@dataclass(frozen=True)
class Folders:
    """Sites that are being served."""

    sites: list[Site]
    port: int

    def seed(self, site: Site) -> str:
        return f"http://{site.host}:{self.port}/{site.start}"

    def site_of(self, url: str) -> Site | None:
        place = urlsplit(url).netloc
        return next((site for site in self.sites if place == f"{site.host}:{self.port}"), None)


def as_sites(paths: Sequence[Path]) -> list[Site]:
    """Each a folder with an index.html, or another page of one to begin with."""
    return [_as_site(number, path.absolute()) for number, path in enumerate(paths, 1)]


def _as_site(number: int, path: Path) -> Site:
    folder, start = (path, "") if path.is_dir() else (path.parent, path.name)
    return Site(_name(folder), folder, f"127.9.0.{number}", start)


def _name(folder: Path) -> str:
    """The package, as far as its place says it: `vitest/ui` of node_modules/@vitest/ui/dist/client."""
    dull = {"html", "dist", "client", "api", "api-docs", "public", "site", "lib", "build", "package"}
    parts = list(folder.parts)
    while len(parts) > 1 and parts[-1] in dull:
        parts.pop()
    return parts[-1]


@contextmanager
def served(sites: Sequence[Site]) -> Iterator[Folders]:
    """Until the end of the block."""
    by_host = {site.host: site for site in sites}

    class Handler(_Handler):
        def setup(self) -> None:
            super().setup()
            self.site = by_host[str(self.connection.getsockname()[0])]
            self.directory = str(self.site.folder)

    with ThreadingHTTPServer(("0.0.0.0", 0), Handler) as server:  # noqa: S104 - the hosts are 127.9.0.…
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield Folders(list(sites), server.server_port)
        finally:
            server.shutdown()


class _Handler(SimpleHTTPRequestHandler):
    site: Site

    def send_head(self) -> Any:
        body = super().send_head()
        path = unquote(urlsplit(self.path).path)
        if body is not None:
            self.site.given.add((path + "index.html" if path.endswith("/") else path).lstrip("/"))
        return body

    def list_directory(self, path: object) -> None:  # noqa: ARG002
        self.send_error(404)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """The crawlers keep logs."""
