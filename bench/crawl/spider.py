"""A crawler made of Scrapy and warcio: what somebody who knows both writes in an afternoon.

    python -m bench.crawl.spider SEEDS_FILE WARC_FILE EMBEDS_HOST

It follows links and embeds of HTML, addresses in style sheets, meta refresh and redirects; it asks for no
robots.txt and waits for nobody.
"""

import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor
from scrapy.utils.response import get_meta_refresh
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

IN_STYLE = re.compile(r"""url\(\s*['"]?([^'")]+)['"]?\s*\)|@import\s+['"]([^'"]+)['"]""")
SETTINGS = {
    "CONCURRENT_REQUESTS": 32,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 32,
    "DOWNLOAD_DELAY": 0,
    "ROBOTSTXT_OBEY": False,
    "COOKIES_ENABLED": False,
    "RETRY_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    # An archive wants the answers themselves: not followed, not decoded, and errors too.
    "REDIRECT_ENABLED": False,
    "METAREFRESH_ENABLED": False,
    "COMPRESSION_ENABLED": False,
    "HTTPERROR_ALLOW_ALL": True,
    "LOG_LEVEL": "ERROR",
}


class ArchivingSpider(Spider):
    name = "archiving"

    def __init__(self, seeds: list[str], hosts: set[str], writer: WARCWriter) -> None:
        super().__init__()
        self.start_urls = seeds
        self._hosts = hosts
        self._writer = writer
        self._links = LinkExtractor(
            tags=(
                "a",
                "area",
                "img",
                "link",
                "script",
                "iframe",
                "frame",
                "source",
                "video",
                "audio",
                "embed",
            ),
            attrs=("href", "src", "poster"),
            deny_extensions=(),
            strip=True,
        )

    def parse(self, response: Response, **_: Any) -> Iterator[Request]:
        self._record(response)
        for url in self._found(response):
            if urlsplit(url).hostname in self._hosts:
                yield Request(url)

    def _found(self, response: Response) -> Iterator[str]:
        location = response.headers.get("Location")
        if location:
            yield response.urljoin(location.decode("latin-1"))
        if isinstance(response, HtmlResponse):
            yield from (link.url for link in self._links.extract_links(response))
            _, refreshed = get_meta_refresh(response)
            if refreshed:
                yield refreshed
        elif b"css" in (response.headers.get("Content-Type") or b""):
            for quoted, imported in IN_STYLE.findall(response.body.decode("latin-1")):
                yield response.urljoin(quoted or imported)

    def _record(self, response: Response) -> None:
        head = StatusAndHeaders(str(response.status), _fields(response.headers), protocol="HTTP/1.1")
        answer = self._writer.create_warc_record(
            response.url, "response", payload=io.BytesIO(response.body), http_headers=head
        )
        asked = response.request
        assert asked is not None
        target = urlsplit(asked.url)._replace(scheme="", netloc="").geturl() or "/"
        line = StatusAndHeaders(f"GET {target} HTTP/1.1", _fields(asked.headers), is_http_request=True)
        question = self._writer.create_warc_record(response.url, "request", http_headers=line)
        self._writer.write_request_response_pair(question, answer)


def _fields(headers: Any) -> list[tuple[str, str]]:
    return [
        (name.decode("latin-1"), value.decode("latin-1"))
        for name in headers
        for value in headers.getlist(name)
    ]


def main(seeds_file: str, warc: str, embeds: str) -> None:
    seeds = Path(seeds_file).read_text().split()
    hosts = {urlsplit(seed).hostname or "" for seed in seeds} | {embeds}
    with Path(warc).open("wb") as file:
        process = CrawlerProcess(SETTINGS)
        process.crawl(ArchivingSpider, seeds=seeds, hosts=hosts, writer=WARCWriter(file, gzip=True))
        process.start()


if __name__ == "__main__":
    main(*sys.argv[1:])
