"""Builds all answers of a site in an edition from what its author wrote."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import format_datetime
from functools import cache
from html import escape
from pathlib import Path
from string import Template

from armarium.demo.web import markup
from armarium.demo.web.describing import all_sites
from armarium.demo.web.drawing import picture
from armarium.demo.web.drawing.shapes import channels, mixed
from armarium.demo.web.film import film
from armarium.demo.web.font import ttf
from armarium.demo.web.model import Answer, Colours, Edition, Page, Site
from armarium.demo.web.paper import pdf
from armarium.demo.web.sound import wav

# --- Colours of words that can be read on their ground (WCAG 2, contrast of at least 4.5 to 1).


ENOUGH = 4.6


def readable(colour: str, ground: str, ink: str) -> str:
    """The colour, drawn towards the ink until it can be read."""
    for step in range(21):
        tried = mixed(colour, ink, step / 20)
        if contrast(tried, ground) >= ENOUGH:
            return tried
    return ink


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((_light(one), _light(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _light(colour: str) -> float:
    shares = [each / 255 for each in channels(colour)]
    linear = [share / 12.92 if share <= 0.03928 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


# --- The style sheets: one foundation, a layout for each kind of house, and colours in a sheet of their own.


FOLDER = Path(__file__).with_name("layouts")
LAYOUTS = frozenset(file.stem for file in FOLDER.glob("*.css")) - {"foundation"}


@cache
def style_sheet(layout: str) -> bytes:
    return (FOLDER / "foundation.css").read_bytes() + (FOLDER / f"{layout}.css").read_bytes()


def colours_sheet(colours: Colours) -> bytes:
    named = {
        **vars(colours),
        "link": readable(colours.accent, colours.paper, colours.ink),
        "link-on-white": readable(colours.accent, "#ffffff", "#222222"),
    }
    return (
        ":root {\n" + "".join(f"  --{name}: {value};\n" for name, value in named.items()) + "}\n"
    ).encode()


# --- Builds all answers of a site in an edition from what its author wrote.


KINDS = {
    "css": "text/css",
    "csv": "text/csv; charset=utf-8",
    "html": "text/html",
    "js": "text/javascript",
    "json": "application/json",
    "mp4": "video/mp4",
    "pdf": "application/pdf",
    "png": "image/png",
    "svg": "image/svg+xml",
    "ttf": "font/ttf",
    "txt": "text/plain; charset=utf-8",
    "wav": "audio/wav",
    "xml": "application/xml",
}
_PICTURE = re.compile(rb"/pictures/([a-z]+-\d+(?:-\d+)?\.(?:png|svg))")
_PAGE = Template(Path(__file__).with_name("page.html").read_text("utf-8"))
RIGHT_TO_LEFT = {"ar", "he"}


@cache
def answers(site: Site, edition: Edition) -> dict[str, Answer]:
    """By path. Traps are not among them: they have no end; see `traps.py`."""
    found = dict(_written(site, edition))
    found |= {path: _given(site, edition, path) for path in _given_paths(site, edition)}
    found |= _sheets(site, edition)
    found |= _lists(site, edition)
    for status, source, target in site.redirects:
        found[source] = Answer(status=status, location=target, body=_moved(target))
    found |= dict(_pictures(site, edition, found))
    return {path: _manners(site, path, answer) for path, answer in found.items()}


def articles(site: Site, edition: Edition) -> list[Page]:
    """The dated pages, newest first."""
    dated = [page for page in site.pages if page.date and edition in page.editions]
    return sorted(dated, key=lambda page: page.date, reverse=True)


def kind(path: str, charset: str = "utf-8") -> str:
    named = KINDS.get(path.rpartition(".")[2], "text/html")
    return f"{named}; charset={charset}" if named == "text/html" else named


def _written(site: Site, edition: Edition) -> Iterator[tuple[str, Answer]]:
    news = articles(site, edition)
    for page in site.pages:
        if edition in page.editions:
            written = whole_page(site, page.path, page.title, markup.html(page.text, edition, news))
            yield page.path, Answer(written.encode(site.charset, "xmlcharrefreplace"), kind("", site.charset))


def whole_page(site: Site, path: str, title: str, body: str) -> str:
    """The head, the masthead with the menu, the body, the foot with the neighbours."""
    feed = (
        f'\n<link rel="alternate" type="application/{site.feed}+xml" href="/feed.xml">' if site.feed else ""
    )
    return _PAGE.substitute(
        language=site.language,
        direction="rtl" if site.language in RIGHT_TO_LEFT else "ltr",
        charset=site.charset,
        title=escape(title),
        site=escape(site.title),
        feed=feed,
        description=escape(site.description),
        menu="".join(f'<li><a href="{place}">{escape(label)}</a></li>' for place, label in site.menu),
        place="home" if path == "/" else "inside",
        body=body,
        neighbours=" · ".join(_neighbours(site)),
    )


def _neighbours(site: Site) -> Iterator[str]:
    titles = {other.word: other.title for other in all_sites()}
    for word in site.neighbours:
        yield f'<a href="site:{word}/">{escape(titles[word])}</a>'


def _given_paths(site: Site, edition: Edition) -> set[str]:
    wanted = (key.split("@") for key in site.files)
    return {key[0] for key in wanted if len(key) == 1 or key[1] == edition.value}


def _given(site: Site, edition: Edition, path: str) -> Answer:
    text = site.files.get(f"{path}@{edition.value}") or site.files[path]
    match path.rpartition(".")[2]:
        case "wav":
            body = wav(text)
        case "pdf":
            body = pdf(text)
        case "ttf":
            body = ttf()
        case "mp4":
            body = film(text.strip(), f"{site.word}{path}", site.looks[edition].colours)
        case _:
            body = text.encode()
    return Answer(body, kind(path, site.charset))


def _sheets(site: Site, edition: Edition) -> dict[str, Answer]:
    look = site.looks[edition]
    return {
        "/style.css": Answer(style_sheet(look.layout), KINDS["css"]),
        "/colours.css": Answer(colours_sheet(look.colours), KINDS["css"]),
    }


def _lists(site: Site, edition: Edition) -> dict[str, Answer]:
    """robots.txt, the feed, the site map."""
    found = {"/robots.txt": Answer(robots(site).encode(), KINDS["txt"])}
    if site.feed:
        write = rss if site.feed == "rss" else atom
        feed = write(site, articles(site, edition)).encode()
        found["/feed.xml"] = Answer(feed, f"application/{site.feed}+xml")
    if site.has_map:
        paths = [page.path for page in site.pages if edition in page.editions]
        found["/sitemap.xml"] = Answer(site_map(site, paths).encode(), KINDS["xml"])
    return found


def _pictures(site: Site, edition: Edition, found: dict[str, Answer]) -> Iterator[tuple[str, Answer]]:
    """Every picture that a page or a style sheet names, but for those that are missing on purpose."""
    names = {name.decode() for answer in found.values() for name in _PICTURE.findall(answer.body)}
    for name in sorted(names):
        path = f"/pictures/{name}"
        if path not in site.broken:
            again = "/again" if path in site.replaced and edition is Edition.SECOND else ""
            body = picture(name, site.word + again, site.looks[Edition.FIRST].colours)
            yield path, Answer(body, kind(path))


def _moved(target: str) -> bytes:
    return f'<!doctype html><title>Moved</title><p>This is now <a href="{target}">here</a>.</p>'.encode()


def _manners(site: Site, path: str, answer: Answer) -> Answer:
    zipped = site.zipped and not answer.kind.startswith(("image/", "video/", "audio/"))
    return replace(answer, seconds=site.slow.get(path, 0.0), zipped=zipped)


# --- Feeds and site maps of the sites that have articles. Addresses are put in when they are served.


NOON = "T12:00:00+00:00"


def rss(site: Site, articles: Sequence[Page]) -> str:
    items = "".join(
        f"<item><title>{escape(page.title)}</title><link>site:{site.word}{page.path}</link>"
        f"<guid>site:{site.word}{page.path}</guid><pubDate>{format_datetime(_noon(page.date))}</pubDate></item>\n"
        for page in articles
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0">'
        f"<channel><title>{escape(site.title)}</title>"
        f"<link>site:{site.word}/</link><description>{escape(site.description)}</description>\n"
        f"{items}</channel></rss>\n"
    )


def atom(site: Site, articles: Sequence[Page]) -> str:
    entries = "".join(
        f"<entry><title>{escape(page.title)}</title><id>site:{site.word}{page.path}</id>"
        f'<link href="site:{site.word}{page.path}"/><updated>{page.date}{NOON}</updated></entry>\n'
        for page in articles
    )
    newest = articles[0].date if articles else "2026-01-01"
    return (
        f'<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
        f"<title>{escape(site.title)}</title><id>site:{site.word}/</id><updated>{newest}{NOON}</updated>"
        f"<author><name>{escape(site.title)}</name></author>\n{entries}</feed>\n"
    )


def site_map(site: Site, paths: Iterable[str]) -> str:
    places = "".join(f"<url><loc>site:{site.word}{path}</loc></url>\n" for path in paths)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        f"{places}</urlset>\n"
    )


def robots(site: Site) -> str:
    closed = "".join(f"Disallow: {folder}\n" for folder in site.forbidden) or "Disallow:\n"
    map_line = f"\nSitemap: site:{site.word}/sitemap.xml\n" if site.has_map else ""
    return f"# {site.title}: dear robots, welcome\nUser-agent: *\n{closed}{map_line}"


def _noon(date: str) -> datetime:
    return datetime.fromisoformat(date + NOON).astimezone(UTC)


# --- What a crawl of each site must bring, in each edition: the measure of everything behind it.
#
# A crawl that obeys robots.txt and starts at the site's first page brings all of `addresses`. It may bring
# more: pages within a trap, as many as its limits allow, and guesses of its own.


@dataclass(frozen=True)
class Truth:
    site: Site
    edition: Edition
    addresses: Mapping[str, int]  # path to status
    unchanged: frozenset[str]  # the same bytes in both editions: a second harvest keeps revisits of them
    forbidden: frozenset[str]  # closed by robots.txt, and linked all the same
    trap: str  # the folder that has no end; empty: none

    def url(self, path: str, port: int) -> str:
        return f"http://{self.site.name}:{port}{path}"


def truth(site: Site, edition: Edition) -> Truth:
    if not site.lives(edition):
        return Truth(site, edition, _absent(site, edition), frozenset(), frozenset(), "")
    served = answers(site, edition)
    closed = frozenset(path for path in served if path.startswith(site.forbidden))
    found = {path: answer.status for path, answer in served.items() if path not in closed}
    found |= dict.fromkeys(site.broken, 404)
    return Truth(
        site=site,
        edition=edition,
        addresses=dict(sorted(found.items())),
        unchanged=_unchanged(site) - closed,
        forbidden=closed,
        trap=site.trap[1] if site.trap else "",
    )


def whole_truth(edition: Edition) -> tuple[Truth, ...]:
    return tuple(truth(site, edition) for site in all_sites())


def _absent(site: Site, edition: Edition) -> dict[str, int]:
    if edition is Edition.FIRST:
        return {"/": 404}
    return {"/": {"gone": 410, "sale": 200}.get(site.end, 301)}


def _unchanged(site: Site) -> frozenset[str]:
    if not (site.lives(Edition.FIRST) and site.lives(Edition.SECOND)):
        return frozenset()
    first, second = answers(site, Edition.FIRST), answers(site, Edition.SECOND)
    return frozenset(
        path for path, answer in second.items() if answer.status == 200 and first.get(path) == answer
    )
