"""robots.txt, sitemaps, feeds, encodings and types, side by side with the libraries that others use for them.

python -m bench.formats.texts

Times are of this process's CPU, the best of several rounds; each side sees the same bytes in the same order.
The documents are made up, the same on every machine.
"""

import io
import random
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import feedparser  # type: ignore[import-untyped]
from lxml import etree  # type: ignore[import-untyped]
from protego import Protego

from armarium.formats.feed import parse_feed
from armarium.formats.media import identify
from armarium.formats.robots import parse
from armarium.formats.sitemap import SitemapReader
from armarium.formats.text import decode

SEED = 20261115
ROUNDS = 5
WORDS = ["archive", "index", "news", "images", "article", "list", "page", "search", "print", "photo", "admin"]
SENTENCE = "La bibliothèque nationale conserve les pages du réseau, où chaque lecteur peut les consulter. "


class Result(NamedTuple):
    task: str
    tool: str
    microseconds: float  # of CPU for each time


def robots_txt(rules: int) -> bytes:
    """A file like that of a shop: some names, one long group, a third of its rules with wildcards."""
    chance = random.Random(SEED)  # noqa: S311  (repeatable, not secret)
    lines = ["User-agent: badbot", "Disallow: /", "", "User-agent: *", "Crawl-delay: 5"]
    for number in range(rules):
        path = "/" + "/".join(chance.choices(WORDS, k=chance.randrange(1, 4))) + f"/{number}"
        star = chance.randrange(3) == 0
        lines.append(
            f"{chance.choice(['Disallow', 'Allow'])}: {path.replace('/', '/*', 1) if star else path}"
        )
    return "\n".join([*lines, "Sitemap: https://example.org/sitemap.xml"]).encode()


def sitemap_xml(entries: int) -> bytes:
    """A sitemap of the greatest allowed number of entries."""
    body = "".join(
        f"<url><loc>https://example.org/{WORDS[number % len(WORDS)]}/{number}?a=1&amp;b=2</loc>"
        f"<lastmod>2026-01-{number % 28 + 1:02d}T10:00:00+01:00</lastmod><priority>0.5</priority></url>\n"
        for number in range(entries)
    )
    return f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{body}</urlset>'.encode()


def feed_xml(items: int) -> bytes:
    """An RSS feed with texts of some length."""
    body = "".join(
        f"<item><title>Item {number}</title><link>https://example.org/{number}</link><guid>g{number}</guid>"
        f"<pubDate>Mon, 06 Sep 2010 00:01:00 +0000</pubDate><description>{SENTENCE * 5}</description></item>"
        for number in range(items)
    )
    return f'<rss version="2.0"><channel><title>News</title>{body}</channel></rss>'.encode()


def microseconds(action: Callable[[], object], times: int) -> float:
    best = float("inf")
    for _ in range(ROUNDS):
        started = time.process_time()
        for _ in range(times):
            action()
        best = min(best, (time.process_time() - started) / times)
    return best * 1e6


URL = "https://example.org/archive/news/page/7?x=1"
HERE = "https://example.org/feeds/news.xml"


def robots(rules: int) -> list[Result]:
    """Parsing with the first answer, in which rules are prepared; and every further answer."""
    data = robots_txt(rules)
    text = data.decode()
    ours, theirs = parse(data), Protego.parse(text)
    first, then = f"robots.txt, {rules} rules, first answer", f"robots.txt, {rules} rules, next answer"
    return [
        Result(first, "armarium", microseconds(lambda: parse(data).allowed("armarium", URL), 20)),
        Result(first, "protego", microseconds(lambda: Protego.parse(text).can_fetch(URL, "armarium"), 5)),
        Result(then, "armarium", microseconds(lambda: ours.allowed("armarium", URL), 2000)),
        Result(then, "protego", microseconds(lambda: theirs.can_fetch(URL, "armarium"), 500)),
    ]


def documents() -> list[Result]:
    """Sitemaps and feeds. lxml does less here: it resolves nothing and looks at one element only."""
    sitemap, feed = sitemap_xml(50_000), feed_xml(200)
    return [
        Result("sitemap, 50,000 URLs", "armarium", microseconds(lambda: sitemap_urls(sitemap), 1)),
        Result("sitemap, 50,000 URLs", "lxml", microseconds(lambda: lxml_urls(sitemap), 1)),
        Result("feed, 200 items", "armarium", microseconds(lambda: parse_feed(feed, url=HERE), 3)),
        Result("feed, 200 items", "feedparser", microseconds(lambda: feedparser.parse(feed), 1)),
    ]


def sitemap_urls(data: bytes) -> int:
    return sum(1 for _ in SitemapReader([data], url=HERE))


def lxml_urls(data: bytes) -> int:
    count = 0
    for _, element in etree.iterparse(io.BytesIO(data), tag="{*}loc", recover=True, resolve_entities=False):
        count += bool(element.text)
        element.clear()
    return count


def payloads() -> list[Result]:
    """A page that declares nothing: its text, and its type."""
    page = (SENTENCE * 300).encode("windows-1252")
    told = "text/html"
    return [
        Result("encoding of a page, 28 KB", "armarium", microseconds(lambda: decode(page), 100)),
        Result(
            "type of a page",
            "armarium",
            microseconds(lambda: identify(page, declared=told, pronom=False), 100),
        ),
        Result("type of a page", "with PRONOM", microseconds(lambda: identify(page, declared=told), 100)),
    ]


def results() -> list[Result]:
    """Everything measured, ours before the tool it is compared with."""
    return [*robots(15), *robots(800), *documents(), *payloads()]


def table(found: Sequence[Result]) -> str:
    lines = [f"{'task':<40} {'tool':<12} {'µs':>14} {'× ours':>8}"]
    ours = {result.task: result.microseconds for result in found if result.tool == "armarium"}
    for result in found:
        ratio = result.microseconds / ours[result.task]
        lines.append(f"{result.task:<40} {result.tool:<12} {result.microseconds:>14,.1f} {ratio:>8.1f}")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table(results()))  # noqa: T201
