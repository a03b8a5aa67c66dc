"""The URLs of a site, in their order."""

from collections.abc import Iterator

from bench.testweb.edges import edges
from bench.testweb.model import FAULTS, Resource
from bench.testweb.shape import Shape

ASSETS = (
    ("site.css", "css", "text/css"),
    ("print.css", "css", "text/css"),
    ("app.js", "js", "application/javascript"),
    ("vendor.js", "js", "application/javascript"),
    ("text.woff2", "font", "font/woff2"),
    ("bg-1.png", "image", "image/png"),
    ("bg-2.png", "image", "image/png"),
    ("bg-inline.png", "image", "image/png"),
    ("og.jpg", "image", "image/jpeg"),
)
PAGE = "page"
#: Numbers of notes, by what they are used for.
ORPHANS, PRIVATE, SEARCH, RELOCATED, MEMBERS = 10_000, 20_000, 29_999, 30_000, 40_000
LARGE_IMAGES = 1_000_000


def resources(site: Shape) -> Iterator[Resource]:
    yield from _pages(site)
    yield from _files(site)
    yield from _redirects(site)
    yield from _rest(site)
    if site.edge:
        yield from _edges(site)


def _pages(site: Shape) -> Iterator[Resource]:
    yield Resource("/", PAGE, ("home",))
    for number, section in enumerate(site.sections):
        for at in range(site.list_pages(number)):
            yield Resource(f"/{section}/" + (f"?page={at + 1}" if at else ""), PAGE, ("list", number, at))
        yield Resource(f"/{section}/?sort=title&dir=desc", PAGE, ("list", number, -1))
        yield _redirect(f"/{section}", 301, f"/{section}/")
    for number, path in enumerate(site.articles):
        yield Resource(path, PAGE, ("article", number))
    for name in site.static:
        yield Resource("/" + name, PAGE, ("static", name))
    for number in range(site.notes):
        yield Resource(f"/notes/{number}.html", PAGE, ("note", number))
    for number in range(site.orphans):
        yield Resource(f"/archive/orphan-{number}.html", PAGE, ("note", ORPHANS + number))
    for number in range(site.private):
        yield Resource(f"/private/{number}.html", PAGE, ("note", PRIVATE + number), level="excluded")
    yield Resource("/search?q=a", PAGE, ("note", SEARCH), level="excluded")


def _files(site: Shape) -> Iterator[Resource]:
    for number in range(site.images):
        mime, path = "image/jpeg" if number % 3 else "image/png", site.image_path(number)
        yield Resource(path, "image", ("image", number), mime)
        if number % 5 == 0:
            yield Resource(path.replace(".", "@2x.", 1), "image", ("image", number + LARGE_IMAGES), mime)
    for name, kind, mime in ASSETS:
        yield Resource("/assets/" + name, kind, ("asset", name), mime)
    yield Resource("/favicon.ico", "image", ("asset", "favicon.ico"), "image/x-icon")
    for number in range(site.documents):
        yield Resource(f"/docs/report-{number}.pdf", "pdf", ("pdf", number), "application/pdf")
    for number in site.shared:
        path, mime, _ = site.web.shared(number)
        yield Resource(path, "file", ("shared", number), mime)


def _redirect(path: str, status: int, location: str) -> Resource:
    return Resource(path, "redirect", ("redirect",), status=status, location=location)


def _redirects(site: Shape) -> Iterator[Resource]:
    for number in range(site.old):
        yield _redirect(f"/old/{number}", (301, 301, 308)[number % 3], site.target(number, 1))
    for number in range(site.away):  # by whole addresses, every third one to another site
        elsewhere = site.web.origin(site.other(number)) + "/"
        location = elsewhere if number % 3 == 2 else site.origin + site.target(number, 2)
        yield _redirect(f"/go?to={number}", (302, 307)[number % 2], location)
    for number in range(site.chains):
        ends = (f"/r/{number}/2", f"/r/{number}/3", site.target(number, 3))
        for step, location in enumerate(ends, 1):
            yield _redirect(f"/r/{number}/{step}", 302, location)
    yield _redirect("/ring/a", 302, "/ring/b")
    yield _redirect("/ring/b", 302, "/ring/a")


def _rest(site: Shape) -> Iterator[Resource]:
    for number in range(site.moved):
        yield Resource(f"/moved/{number}.html", PAGE, ("moved", number))
        yield Resource(f"/relocated/{number}.html", PAGE, ("note", RELOCATED + number))
    for number in range(site.missing):
        yield Resource(site.missing_path(number), "error", ("error",), status=_status(number))
    for number in range(site.interfaces):
        yield Resource(f"/api/related/{number}.json", "json", ("json", number), "application/json")
    yield Resource("/members/", PAGE, ("members",))
    yield Resource("/members/list.html", PAGE, ("note", MEMBERS))
    yield Resource("/feed.xml", "feed", ("feed",), "application/rss+xml")
    yield Resource("/robots.txt", "robots", ("robots",), "text/plain")
    yield Resource("/sitemap.xml", "sitemap", ("sitemapindex",), "application/xml")
    for number in range(site.sitemaps()):
        yield Resource(f"/sitemap-{number}.xml", "sitemap", ("sitemap", number), "application/xml")


def _status(number: int) -> int:
    """Of a dead link."""
    return 500 if number % 30 == 29 else 403 if number % 20 == 19 else 410 if number % 10 == 9 else 404


def _edges(site: Shape) -> Iterator[Resource]:
    yield Resource("/edge/", PAGE, ("edge",))
    for number, edge in enumerate(edges(site.web.authority(site.host), site.charset)):
        level = "decoy" if "comment" in edge.path else None
        yield Resource(edge.path, "edge", ("edgeleaf", number), edge.mime, level=level)
    if site.web.parameters.faults:
        for fault in FAULTS[:-1]:
            yield Resource(f"/faults/{fault}", "fault", ("fault", fault), level="fault")
        yield Resource(f"/faults/{FAULTS[-1]}", "edge", ("fault", FAULTS[-1]))
