"""Feeds and site maps of the sites that have articles. Addresses are put in when they are served."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from email.utils import format_datetime
from html import escape

from armarium.demo.web.model import Page, Site

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
