"""A reading room over W/ARC files that the test writes itself: real index, real records, no house."""

import base64
import hashlib
import io
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from armarium.access.model import Policy, Reader
from armarium.access.requests.site import Everybody, NoFigures, NoLocks, OpenPolicy, Site, Viewings
from armarium.access.settings import AccessSettings
from armarium.access.view import View
from armarium.workflow.loose import LooseFiles


@dataclass(frozen=True)
class Page:
    """One capture."""

    url: str
    body: bytes | str = b""
    timestamp: str = "20200101000000"
    type: str = "text/html; charset=utf-8"
    status: str = "200 OK"
    headers: tuple[tuple[str, str], ...] = ()
    method: str = "GET"
    sent: bytes = b""  # the body of the request
    sent_type: str = "application/x-www-form-urlencoded"
    revisit_of: tuple[str, str] | None = None  # address and timestamp of the original
    digest_of: bytes | str | None = field(default=None)  # of a revisit: the content it refers to

    @property
    def content(self) -> bytes:
        return self.body.encode() if isinstance(self.body, str) else self.body


def write_warc(path: Path, pages: Iterable[Page]) -> Path:
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        for page in pages:
            _write(writer, page)
    return path


def _write(writer: WARCWriter, page: Page) -> None:
    date = _iso(page.timestamp)
    fields = [("Content-Type", page.type), *page.headers]
    if page.revisit_of is None and not any(name.lower() == "content-length" for name, _ in fields):
        fields.append(("Content-Length", str(len(page.content))))
    http = StatusAndHeaders(page.status, fields, protocol="HTTP/1.1")
    if page.revisit_of is not None:
        url, timestamp = page.revisit_of
        original = page.digest_of if page.digest_of is not None else page.body
        record = writer.create_revisit_record(
            page.url, _digest(original), refers_to_uri=url, refers_to_date=_iso(timestamp), http_headers=http
        )
        record.rec_headers.replace_header("WARC-Date", date)
        writer.write_record(record)
        return
    response = writer.create_warc_record(
        page.url,
        "response",
        payload=io.BytesIO(page.content),
        http_headers=http,
        warc_headers_dict={"WARC-Date": date},
    )
    path = "/" + page.url.partition("://")[2].partition("/")[2]
    asked = StatusAndHeaders(
        f"{page.method} {path} HTTP/1.1", [("Content-Type", page.sent_type)], is_http_request=True
    )
    request = writer.create_warc_record(
        page.url,
        "request",
        payload=io.BytesIO(page.sent),
        http_headers=asked,
        warc_headers_dict={"WARC-Date": date},
    )
    writer.write_request_response_pair(request, response)


def _digest(content: bytes | str) -> str:
    data = content.encode() if isinstance(content, str) else content
    return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()


def _iso(timestamp: str) -> str:
    moment = datetime.strptime(timestamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


@dataclass(frozen=True)
class World:
    site: Site

    def view(self, reader: Reader | None = None) -> View:
        return self.site.view("all", reader or Reader())

    def under(self, policy: Policy) -> "World":
        return World(replace(self.site, policy=policy))


def world_of(
    folder: Path,
    pages: Iterable[Page],
    *,
    files: Iterable[Path] = (),
    port: int = 8090,
    policy: Policy | None = None,
    viewings: Viewings | None = None,
    settings: AccessSettings | None = None,
) -> World:
    """`files`: further W/ARC files, such as those of the corpora."""
    index = folder / "index"
    index.mkdir()
    given = list(pages)
    own = [write_warc(folder / "pages.warc.gz", given)] if given else []
    site = Site(
        settings=settings or AccessSettings(port=port),
        archive=LooseFiles([*own, *files], index),
        policy=policy or OpenPolicy(),
        readers=Everybody(),
        uses=NoFigures(),
        locks=NoLocks(),
        viewings=viewings,
        library="Bibliotheca",
    )
    return World(site)
