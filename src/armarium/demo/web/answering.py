"""Which answer a request gets: from the site that it names, in the edition of the moment."""

import calendar
import re
from datetime import date
from functools import cache
from hashlib import sha256
from pathlib import Path

from armarium.demo.web.building import answers, whole_page
from armarium.demo.web.describing import all_sites
from armarium.demo.web.front import front
from armarium.demo.web.model import TOP, Answer, Edition, Site, read_edition
from armarium.demo.web.requests import Request, Response
from armarium.demo.web.youth import Youth, read_youth, young

# --- Places without end: a calendar that goes on for ever, a shop with addresses for each visit.


_MONTH = re.compile(r"(\d{4})-(\d{2})\.html")


def trapped(site: Site, path: str, query: str) -> Answer | None:
    """What an address within a trap answers; None: it is none."""
    if site.trap is None or not path.startswith(site.trap[1]):
        return None
    body = _TRAPS[site.trap[0]](site.trap[1], path.removeprefix(site.trap[1]), query)
    if body is None:
        return None
    title, words = body
    return Answer(whole_page(site, path, title, words).encode())


def _calendar(folder: str, rest: str, _: str) -> tuple[str, str] | None:
    """Every month has a next one."""
    found = _MONTH.fullmatch(rest)
    if found is None or not 1 <= int(found[2]) <= 12 or not 1 <= int(found[1]) <= 9998:
        return None
    year, month = int(found[1]), int(found[2])
    weeks = calendar.Calendar().monthdayscalendar(year, month)
    rows = "".join("<tr>" + "".join(f"<td>{day or ''}</td>" for day in week) + "</tr>" for week in weeks)
    before, after = _month(folder, year, month - 1), _month(folder, year, month + 1)
    words = f'<table>{rows}</table><p><a href="{before}">← before</a> · <a href="{after}">after →</a></p>'
    return date(year, month, 1).strftime("%m / %Y"), words


def _month(folder: str, year: int, month: int) -> str:
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    return f"{folder}{year:04d}-{month:02d}.html"


def _session(folder: str, rest: str, query: str) -> tuple[str, str] | None:
    """Each page hands out a new session, and every address carries it."""
    if rest not in _SHELVES:
        return None
    session = sha256(f"{rest}?{query}".encode()).hexdigest()[:32]
    links = "".join(
        f'<li><a href="{folder}{name}?PHPSESSID={session}">{title}</a></li>'
        for name, title in _SHELVES.items()
    )
    return _SHELVES[
        rest
    ], f"<p>Your basket is number {session[:6]}. It is empty, and light.</p><ul>{links}</ul>"


_SHELVES = {"basket.php": "Your basket", "wishes.php": "Your wishes", "till.php": "To the till"}
_TRAPS = {"calendar": _calendar, "session": _session}


# --- Which answer a request gets: from the site that it names, in the edition of the moment.


FIRST_DAY = "Thu, 01 Oct 2026 08:00:00 GMT"
SECOND_DAY = "Mon, 02 Nov 2026 08:00:00 GMT"
METHODS = {"GET", "HEAD", "POST"}
OWN_NAMES = {TOP, "127.0.0.1"}

_PLACE = re.compile(rb"site:([a-z-]+)(?=[/\"<\s])")


def respond(request: Request, folder: Path, port: int) -> Response:
    if request.method not in METHODS:
        return Response(405, "text/plain", b"Only GET, HEAD and POST.\n", (("Allow", "GET, HEAD, POST"),))
    edition = read_edition(folder)
    if request.host in OWN_NAMES:
        return front(request, folder, edition, port)
    site = by_name().get(request.host)
    if site is None:
        return Response(404, "text/plain; charset=utf-8", b"Nobody lives at this name.\n")
    return _response(site, edition, request, port, read_youth(folder))


@cache
def by_name() -> dict[str, Site]:
    return {site.name: site for site in all_sites()}


def answered(site: Site, edition: Edition, path: str, query: str = "") -> Answer:
    """What the site answers, before addresses of other sites are put in."""
    if not site.lives(edition):
        return _absent(site, edition, path)
    found = answers(site, edition).get(path) or trapped(site, path, query)
    return found or _missing(site, path)


def placed(body: bytes, port: int) -> bytes:
    """With the addresses of the sites as they are on this port."""
    return _PLACE.sub(lambda found: b"http://%s.%s:%d" % (found[1], TOP.encode(), port), body)


def _response(site: Site, edition: Edition, request: Request, port: int, youth: Youth) -> Response:
    answer = answered(site, edition, request.path, request.query)
    if youth.months:
        answer = young(site, request.path, answer, youth) or _missing(site, request.path)
    headers: tuple[tuple[str, str], ...] = ()
    if answer.location:
        headers = (("Location", placed(answer.location.encode() + b"\n", port).decode().strip()),)
    elif answer.status == 200:
        headers = (("Last-Modified", _changed(site, edition, request.path)),)
    return Response(
        status=answer.status,
        kind=answer.kind,
        body=placed(answer.body, port),
        headers=headers,
        seconds=answer.seconds,
        zipped=answer.zipped,
    )


def _changed(site: Site, edition: Edition, path: str) -> str:
    if edition is Edition.FIRST:
        return FIRST_DAY
    before = answered(site, Edition.FIRST, path)
    return FIRST_DAY if before == answered(site, Edition.SECOND, path) else SECOND_DAY


def _missing(site: Site, path: str) -> Answer:
    words = "<p>404. There is nothing here, or not any more, or not yet.</p>"
    return Answer(
        whole_page(site, path, "404", words).encode(site.charset, "xmlcharrefreplace"),
        _kind(site),
        404,
    )


def _kind(site: Site) -> str:
    return f"text/html; charset={site.charset}"


def _absent(site: Site, edition: Edition, path: str) -> Answer:
    """Not yet there, gone, for sale, or at another name."""
    if edition is Edition.FIRST:
        return Answer(b"Nobody lives at this name yet.\n", "text/plain; charset=utf-8", 404)
    if site.end == "gone":
        return Answer(_FAREWELL.encode(), status=410)
    if site.end == "sale":
        return Answer(_SALE.format(name=site.name).encode(), status=200 if path == "/" else 404)
    target = f"site:{site.end}{path}"
    return Answer(
        f'<p>We have moved to <a href="{target}">a new address</a>.</p>'.encode(), status=301, location=target
    )


_FAREWELL = """<!doctype html><html lang="en"><meta charset="utf-8"><title>410 Gone</title>
<body><h1>410</h1><p>It was lovely. It is over. Nothing has been kept here.</p></body></html>
"""
_SALE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{name} is for sale</title>
<body><h1>{name} is for sale!</h1><p>This premium name could be yours. Popular searches: cheap tickets,
cheap curtains, cheap cheese.</p></body></html>
"""
