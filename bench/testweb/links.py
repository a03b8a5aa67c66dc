"""The references on each URL of a site, in their order. Cheap: nothing is rendered."""

import posixpath
from collections.abc import Callable
from random import Random

from bench.testweb.edges import edges
from bench.testweb.model import FAULTS, LIST_LENGTH, Link, Resource
from bench.testweb.shape import Shape
from bench.testweb.words import between, lognormal, pick

OF_STYLES = {
    "site.css": ("import print.css", "url text.woff2", "url /assets/bg-1.png"),
    "print.css": ("url bg-2.png",),
}


def links(site: Shape, resource: Resource) -> list[Link]:
    what, *arguments = resource.key
    found = KINDS.get(str(what))
    return found(site, *arguments) if found else []


def frame(site: Shape, *, full: bool = True) -> list[Link]:
    """Head and navigation, the same on every full page of a site."""
    found = [
        Link("css", "html", "/assets/site.css"),
        Link("icon", "html", "/favicon.ico"),
        Link("script", "html", "/assets/app.js"),
    ]
    if not full:
        return [*found, Link("nav", "html", "/", "Home")]
    library = site.web.origin(site.web.requisites) + "/lib/framework-3.2.1"
    found += [
        Link("css", "embed", library + ".css"),
        Link("script", "embed", library + ".js"),
        Link("script", "html", "/assets/vendor.js"),
        Link("feed", "html", "/feed.xml"),
        Link("og", "meta", site.origin + "/assets/og.jpg"),
        Link("nav", "html", "/", "Home"),
    ]
    found += [Link("nav", "html", f"/{section}/", section.title()) for section in site.sections]
    static = ((name, name.strip("/").split(".")[0].title()) for name in site.static)
    return found + [Link("nav", "html", "/" + name, title) for name, title in static]


def _home(site: Shape) -> list[Link]:
    found = frame(site)
    newest = range(min(LIST_LENGTH, site.article_count))
    found += [Link("card", "html", site.articles[site.article_count - 1 - number]) for number in newest]
    found += [Link("body", "html", "/members/"), Link("style", "css", "/assets/bg-inline.png")]
    found += [Link("body", "html", f"/notes/{number}.html") for number in range(site.notes)]
    if site.edge:
        found.append(Link("body", "html", "/edge/"))
    if site.web.parameters.trap:
        found += [Link("body", "html", "/calendar/2024/01/", "Calendar")]
        found += [Link("body", "html", "/loop/", "Loop")]
    if not site.article_count:  # nothing to hang things on
        found += [Link("body", "html", "/old/0"), Link("body", "html", site.missing_path(0))]
    return found


def _list(site: Shape, number: int, at: int) -> list[Link]:
    found, section = frame(site), site.sections[number]
    mine = list(range(number, site.article_count, len(site.sections)))
    last = site.list_pages(number) - 1
    if at < 0:
        shown = mine[::-1][:LIST_LENGTH]
    else:
        shown = mine[at * LIST_LENGTH : (at + 1) * LIST_LENGTH]
        for other in sorted({0, at - 2, at - 1, at + 1, at + 2, last}):
            if 0 <= other <= last and other != at:
                href = f"?page={other + 1}" if other else f"/{section}/"
                found.append(Link("pager", "html", href, str(other + 1)))
        found.append(Link("pager", "html", f"/{section}/?sort=title&dir=desc", "Sort"))
    found.append(Link("crumb", "html", "/", "Home"))
    return found + [Link("card", "html", site.articles[article]) for article in shown]


def _article(site: Shape, number: int) -> list[Link]:
    chance = site.web.chance("links", site.host, number)
    total = lognormal(chance, 24, 0.6, 5, 60)
    found = frame(site, full=total > 8 + len(site.sections))
    section = site.sections[number % len(site.sections)]
    found += [Link("crumb", "html", "/", "Home"), Link("crumb", "html", f"/{section}/", section.title())]
    found += [Link(slot, level, href) for slot, level, href in site.hung.get(number, ())]
    if number % 9 == 4:
        found.append(Link("body", "html", f"/search?q={pick(chance, site.web.words.rare)}"))
    there = sum(link.slot in ("nav", "crumb", "body") for link in found)
    found += [_reference(site, chance, number, place) for place in range(max(0, total - there))]
    more = between(chance, 0, 3) if site.images else 0  # images that other articles have too
    images = (int(site.images * chance.random() ** 2) for _ in range(more))
    return found + [Link("img", "html", site.image_path(image)) for image in images]


def _reference(site: Shape, chance: Random, number: int, place: int) -> Link:
    if chance.random() < 0.12:
        elsewhere = site.web.origin(site.other(int(chance.random() * 1000)))
        return Link("body", "html", elsewhere + pick(chance, ("/", "/", "/about.html", "/contact.html")))
    # Old articles are linked more often, as on the web.
    to = site.articles[int(site.article_count * chance.random() ** 2)]
    form = chance.random()
    if form < 0.15:
        href = site.origin + to
    elif form < 0.25 and site.style == 0:
        href = posixpath.relpath(to, posixpath.dirname(site.articles[number]))
    elif form < 0.28:
        href = "//" + site.web.authority(site.host) + to
    elif form < 0.35:
        href = to + "#" + pick(chance, site.web.words.rare)
    else:
        href = to
    return Link("card" if place % 3 else "body", "html", href)


def _static(site: Shape, name: str) -> list[Link]:
    found = frame(site)
    if name == "about.html":  # without a slash: a redirect
        found += [Link("body", "html", f"/{section}") for section in site.sections]
        found.append(Link("body", "html", "/ring/a"))
    if name == "downloads/":
        found += [Link("body", "html", site.web.shared(number)[0]) for number in site.shared]
    return found


def _note(site: Shape, _number: int) -> list[Link]:
    return frame(site, full=False)


def _members(site: Shape) -> list[Link]:
    return [*frame(site, full=False), Link("nofollow", "nofollow", "/members/list.html", "Members")]


def _moved(_site: Shape, number: int) -> list[Link]:
    return [Link("refresh", "meta", f"/relocated/{number}.html")]


def _asset(_site: Shape, name: str) -> list[Link]:
    parts = (one.split() for one in OF_STYLES.get(name, ()))
    return [Link(slot, "css", href) for slot, href in parts]


def _located(site: Shape, paths: list[str]) -> list[Link]:
    return [Link("loc", "sitemap", site.origin + path) for path in paths]


def _feed(site: Shape) -> list[Link]:
    return _located(site, site.articles[-20:])


def _robots(site: Shape) -> list[Link]:
    return _located(site, ["/sitemap.xml"])


def _sitemap_index(site: Shape) -> list[Link]:
    return _located(site, [f"/sitemap-{number}.xml" for number in range(site.sitemaps())])


def _sitemap(site: Shape, number: int) -> list[Link]:
    return _located(site, site.in_sitemaps()[number * 1000 : (number + 1) * 1000])


def _edge(site: Shape) -> list[Link]:
    found = frame(site, full=False)
    for edge in edges(site.web.authority(site.host), site.charset):
        if edge.href is not None and "comment" not in edge.path:
            found.append(Link("edge", edge.level, edge.href))
    if site.web.parameters.faults:
        found += [Link("body", "html", f"/faults/{fault}", fault) for fault in FAULTS]
    return found


def _edge_leaf(site: Shape, number: int) -> list[Link]:
    edge = edges(site.web.authority(site.host), site.charset)[number]
    return [Link("edge", "html", "/edge/sub/leaf.html")] if edge.path == "/edge/base.html" else []


def _library(_site: Shape, extension: str) -> list[Link]:
    return [Link("url", "css", "icons.woff2")] if extension == "css" else []


KINDS: dict[str, Callable[..., list[Link]]] = {
    "home": _home,
    "list": _list,
    "article": _article,
    "static": _static,
    "note": _note,
    "members": _members,
    "moved": _moved,
    "asset": _asset,
    "feed": _feed,
    "robots": _robots,
    "sitemapindex": _sitemap_index,
    "sitemap": _sitemap,
    "edge": _edge,
    "edgeleaf": _edge_leaf,
    "lib": _library,
}
