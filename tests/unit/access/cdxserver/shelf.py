"""A real index over lines that a test writes, rules as plain as can be, and requests to it."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from armarium.access.model import OPEN, Collection, Decision, Effect, Provenance, Reader
from armarium.access.requests.site import Everybody, Guest, Handler, NoFigures, NoLocks, Site, Visit
from armarium.access.settings import AccessSettings
from armarium.core.errors import NotFound
from armarium.formats.cdx import CdxLine
from armarium.formats.warc.records import Record
from armarium.index.lookup import Lookup
from tests.unit.index.captures import run_of

READER = Reader()


@dataclass
class Rules:
    """Captures whose key begins so are hidden, or restricted; `until` narrows it to older ones."""

    hidden: tuple[str, ...] = ()
    restricted: tuple[str, ...] = ()
    until: str = "9"
    no_downloads: bool = False

    def decide(self, reader: Reader, collection: Collection, line: CdxLine) -> Decision:
        if line.timestamp < self.until:
            if line.key.startswith(self.hidden):
                return Decision(Effect.HIDDEN)
            if line.key.startswith(self.restricted):
                return Decision(Effect.RESTRICTED, message="Ask the librarian.")
        return Decision(Effect.ALLOWED, no_downloads=True) if self.no_downloads else OPEN


class Shelf:
    """The lines of an index without files."""

    def __init__(self, folder: Path, lines: Iterable[bytes], data: bytes = b"") -> None:
        run = run_of(folder, "run", sorted(set(lines)))
        self._lookup = Lookup(lambda: [run])
        self._data = data

    def collections(self) -> Sequence[Collection]:
        return [self.collection("all"), self.collection("news")]

    def collection(self, name: str) -> Collection:
        if name not in ("all", "news"):
            raise NotFound(f"There is no collection {name}.")
        return Collection(name, "" if name == "all" else "The news", everything=name == "all")

    def captures(self, collection: Collection) -> Lookup:
        return self._lookup

    def record(self, filename: str, offset: int, length: int | None) -> Record:
        raise NotFound(f"{filename} is not here.")

    def record_pieces(
        self, filename: str, offset: int, length: int, first: int = 0, last: int | None = None
    ) -> Iterator[bytes]:
        return iter([self._data[offset : offset + length][first : None if last is None else last + 1]])

    def provenance(self, filename: str) -> Provenance:
        return Provenance(filename)


@dataclass
class Asking:
    """Puts requests to a handler as the door would."""

    site: Site
    handler: Handler
    path: str = "cdx"

    def __call__(self, query: str = "", *, method: str = "GET", **headers: str) -> Response:
        rest = f"{self.path}?{query}" if query else self.path
        named = [(name.replace("_", "-").lower().encode(), value.encode()) for name, value in headers.items()]
        request = Request(
            {"type": "http", "method": method, "headers": named, "query_string": query.encode()}
        )
        view = self.site.view("all", READER)
        return self.handler(Visit(self.site, Guest(READER), view, rest, request))

    def at(self, path: str) -> "Asking":
        return Asking(self.site, self.handler, path)

    def text(self, query: str = "", **headers: str) -> str:
        response = self(query, **headers)
        assert response.status_code == 200, bytes(response.body)
        return whole(response).decode()

    def lines(self, query: str = "") -> list[str]:
        return self.text(query).splitlines()


def whole(response: Response) -> bytes:
    """The body, of an answer that comes in pieces, too."""
    if not isinstance(response, StreamingResponse):
        return bytes(response.body)

    async def gathered() -> list[bytes]:
        return [bytes(piece) async for piece in response.body_iterator if not isinstance(piece, str)]

    return b"".join(asyncio.run(gathered()))


def site_of(
    folder: Path,
    lines: Iterable[bytes],
    rules: Rules | None = None,
    data: bytes = b"",
    port: int = 8090,
) -> Site:
    return Site(
        settings=AccessSettings(port=port),
        archive=Shelf(folder, lines, data),
        policy=rules or Rules(),
        readers=Everybody(),
        uses=NoFigures(),
        locks=NoLocks(),
    )


def line(
    url: str,
    timestamp: str,
    *,
    key: str = "",
    mime: str = "text/html",
    status: str = "200",
    digest: str = "AAAA",
    offset: int = 0,
    length: int = 1000,
    more: dict[str, str] | None = None,
) -> bytes:
    """A line as our own indexer writes it."""
    host, _, path = url.partition("://")[2].partition("/")
    own = f"{','.join(reversed(host.split('.')))})/{path}"
    fields = {
        "url": url,
        "mime": mime,
        "status": status,
        "digest": f"sha1:{digest}",
        "length": str(length),
        "offset": str(offset),
        "filename": "one.warc.gz",
        **(more or {}),
    }
    return CdxLine(key or own, timestamp, fields).to_cdxj()
