"""The front page, at the name localhost itself: what it is, all sites, the button that turns a month."""

from html import escape
from itertools import groupby
from pathlib import Path
from string import Template
from urllib.parse import parse_qs

from armarium.demo.web.describing import all_sites
from armarium.demo.web.model import TOP, Edition, Site, write_edition
from armarium.demo.web.requests import Request, Response

POLICY = "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
GUARDS = (
    ("Content-Security-Policy", POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("Cache-Control", "no-store"),
)
SHEET = Path(__file__).with_name("front.css")
_PAGE = Template(Path(__file__).with_name("front.html").read_text("utf-8"))
SPOKEN = {
    Edition.FIRST: ("as it was a month ago", "Let a month pass"),
    Edition.SECOND: ("as it is today", "Go back a month"),
}


def front(request: Request, folder: Path, edition: Edition, port: int) -> Response:
    if request.path == "/" and request.method != "POST":
        return Response(200, body=_page(edition, port).encode(), headers=GUARDS)
    if request.path == "/front.css":
        return Response(200, "text/css", SHEET.read_bytes(), GUARDS)
    if request.path == "/edition" and request.method == "POST":
        return _turn(request, folder)
    return Response(404, "text/plain", b"The front page has only one page.\n", GUARDS)


def _turn(request: Request, folder: Path) -> Response:
    """Only a form of this very page may do it: a site of the small web that posts here is refused."""
    if request.headers.get("origin") != f"http://{request.headers.get('host', '')}":
        return Response(403, "text/plain", b"Only the button of the front page turns the month.\n", GUARDS)
    wanted = parse_qs(request.body.decode("latin-1")).get("edition", [""])[0]
    if wanted not in {edition.value for edition in Edition}:
        return Response(400, "text/plain", b"There are two editions: first and second.\n", GUARDS)
    write_edition(folder, Edition(wanted))
    return Response(303, "text/plain", b"", (*GUARDS, ("Location", "/")))


def _page(edition: Edition, port: int) -> str:
    now, button = SPOKEN[edition]
    living = [site for site in all_sites() if site.lives(Edition.FIRST) or edition is Edition.SECOND]
    themes = groupby(sorted(living, key=lambda site: (site.theme, site.title)), key=lambda site: site.theme)
    parts = "".join(
        f"<section><h2>{escape(theme)}</h2>"
        f"<ul>{''.join(_entry(site, edition, port) for site in sites)}</ul></section>"
        for theme, sites in themes
    )
    return _PAGE.substitute(
        number=len(living), now=now, other=edition.other.value, button=button, themes=parts
    )


def _entry(site: Site, edition: Edition, port: int) -> str:
    fate = "" if site.lives(edition) else f" <em>{_fate(site)}</em>"
    tongue = f'lang="{site.language}" dir="auto"'
    new = " <em>new</em>" if site.opened is Edition.SECOND else ""
    return (
        f'<li><a href="http://{site.name}:{port}/" {tongue}>{escape(site.title)}</a>{fate}{new}'
        f"<span {tongue}>{escape(site.description)}</span><code>{site.name}</code></li>"
    )


def _fate(site: Site) -> str:
    if site.end in {"gone", "sale"}:
        return "gone" if site.end == "gone" else "its name is for sale"
    return f"moved to {site.end}.{TOP}"
