"""Hostile documents: links are found in time that grows with the length, not with its square."""

from collections.abc import Callable

import pytest

from armarium.core.crawl_order import Extraction
from armarium.formats.http import parse_response
from armarium.formats.media import identify
from armarium.formats.text import charset_of_content_type
from armarium.harvest.extract import extract
from tests.growth import (
    CSS,
    DASH,
    FIELD,
    HLS,
    HTML,
    JS,
    JSON,
    LINES,
    PDF,
    SRCSET,
    XML,
    assert_linear,
)  # fmt: skip

URL = "http://site.test/dir/doc"

Run = Callable[[bytes], object]


def read(
    mime: str,
    before: bytes = b"",
    behind: bytes = b"",
    *,
    url: str = URL,
    hop: str = "L",
    follow: bool = True,
) -> Run:
    options = Extraction(follow_nofollow=follow)
    return lambda data: extract(url, None, mime, before + data + behind, hop, options, via=URL)


def attribute(tag: bytes) -> Run:
    run = read("text/html", tag + b'="', b'">')
    return lambda data: run(data.replace(b"&", b"&amp;").replace(b'"', b"&quot;"))


def header(name: bytes) -> Run:
    def run(data: bytes) -> None:
        head = parse_response(b"HTTP/1.1 301 OK\r\n" + name + b": " + data.replace(b"\n", b" ") + b"\r\n\r\n")
        extract(URL, head, "text/html", b"", "L", Extraction())

    return run


RUNS: dict[str, tuple[Run, list[str]]] = {
    "page": (read("text/html"), HTML),
    "page of which links may not count": (read("text/html", follow=False), HTML),
    "page as XML": (read("application/xhtml+xml", b"<html>"), HTML),
    "drawing": (read("image/svg+xml", b"<svg>"), XML),
    "set of images": (attribute(b"<img srcset"), SRCSET),
    "refresh": (attribute(b"<meta http-equiv=refresh content"), FIELD),
    "style attribute": (attribute(b"<a style"), CSS),
    "sheet": (read("text/css", b"@("), CSS),
    "script": (read("text/javascript", b"'/a.html';"), JS),
    "script in a page": (read("text/html", b"<script>'/a.html';"), JS),
    "string in a script": (read("text/javascript", b"'/a.html';x='", b"'"), HTML),
    "data": (read("application/json"), JSON),
    "linked data": (read("text/html", b"<script type=application/ld+json>"), JSON),
    "map of imports": (read("text/html", b"<script type=importmap>"), JSON),
    "speculation rules": (read("application/speculationrules+json"), JSON),
    "web app": (read("application/manifest+json"), JSON),
    "XML": (read("text/xml"), XML),
    "something": (read("text/plain"), HTML),
    "feed": (read("application/rss+xml", b"<rss><channel>"), XML),
    "feed as data": (read("application/feed+json"), JSON),
    "sitemap": (read("text/xml", b"<urlset>"), XML),
    "sitemap as a list": (read("text/plain", hop="M"), LINES),
    "robots.txt": (read("text/plain", url="http://site.test/robots.txt"), LINES),
    "list of a film": (read("application/x-mpegurl"), HLS),
    "description of a film": (read("application/dash+xml", b"<MPD>"), DASH),
    "text track": (read("text/vtt"), LINES),
    "PDF": (read("application/pdf", b"%PDF-"), PDF),
    "Link": (header(b"Link"), FIELD),
    "Speculation-Rules": (header(b"Speculation-Rules"), FIELD),
    "Refresh": (header(b"Refresh"), FIELD),
    "Content-Type": (lambda data: charset_of_content_type("text/html;" + data.decode("latin-1")), FIELD),
    "type by its bytes": (identify, HTML),
    "picture by its bytes": (lambda data: identify(b"P1" + data), LINES),
}


@pytest.mark.parametrize("name", RUNS)
def test_time_grows_with_the_length_and_not_with_its_square(name: str) -> None:
    run, words = RUNS[name]
    assert_linear(run, words)
