"""One site: its URLs, the links of each, and each one's body."""

import base64
import hashlib
import json
from collections.abc import Callable
from html import escape

from bench.testweb import bodies
from bench.testweb.edges import edges
from bench.testweb.links import links
from bench.testweb.model import FAULTS, Link, Resource
from bench.testweb.pages import page
from bench.testweb.resources import resources
from bench.testweb.shape import Shape
from bench.testweb.web import Web
from bench.testweb.words import between, lognormal, pick

NOT_LINKS = (
    '<p><a href="#top">x</a> <a href="mailto:a@b.test">x</a> <a href="tel:1">x</a>'
    ' <a href="javascript:void(0)">x</a>'
    '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="></p>\n'
)
STYLES = {
    "site.css": '@import url("print.css") print;\n@font-face { font-family: t; src: url(text.woff2) }\n'
    "body { background: url('/assets/bg-1.png') }\n",
    "print.css": "h1 { background: url(bg-2.png) }\n",
}
SCRIPTS = {"app.js": 18_000, "vendor.js": 120_000}
SCALES = {"home": 1.6, "list": 0.8, "article": 1.0, "static": 0.6, "note": 0.3}  # of the usual size


class Site(Shape):
    def __init__(self, web: Web, host: int) -> None:
        super().__init__(web, host)
        self.resources = {one.path: one for one in resources(self)}

    def links(self, resource: Resource) -> list[Link]:
        return links(self, resource)

    def version(self, resource: Resource) -> int:
        """How often an article has changed by this epoch: a fifth of them change at each step."""
        if resource.key[0] != "article":
            return 0
        steps = range(1, self.web.parameters.epoch + 1)
        number = resource.key[1]
        return sum(self.web.chance("change", self.host, number, step).random() < 0.2 for step in steps)

    def token(self, *key: object) -> str:
        """A word that no other page has."""
        said = repr((self.web.parameters.seed, self.host, *key))
        digest = hashlib.blake2b(said.encode(), digest_size=8).digest()
        return "zq" + base64.b32encode(digest).decode().rstrip("=").lower()

    def content_type(self, resource: Resource) -> str:
        if resource.mime == "text/html" and self.in_header:
            return f"text/html; charset={self.charset}"
        return resource.mime

    def body(self, resource: Resource) -> bytes:
        what, *arguments = resource.key
        if what in SCALES:
            version = self.version(resource)
            token = self.token(resource.key, version)
            return page(self, resource, token, scale=SCALES[str(what)], version=version)
        return BODIES[str(what)](self, resource, *arguments)


class Requisites(Site):
    """The host that has page requisites of all sites."""

    def __init__(self, web: Web) -> None:  # not as a site: it has neither sections nor articles
        self.web, self.host, self.origin = web, web.requisites, web.origin(web.requisites)
        self.charset, self.in_header, self.edge = "utf-8", True, False
        found = (
            Resource("/lib/framework-3.2.1.js", "js", ("lib", "js"), "application/javascript"),
            Resource("/lib/framework-3.2.1.css", "css", ("lib", "css"), "text/css"),
            Resource("/lib/icons.woff2", "font", ("lib", "woff2"), "font/woff2"),
        )
        self.resources = {one.path: one for one in found}


def site_of(web: Web, host: int) -> Site:
    return Requisites(web) if host == web.requisites else Site(web, host)


def _library(site: Site, _resource: Resource, extension: str) -> bytes:
    chance = site.web.chance("lib", extension)
    if extension == "css":
        text = ".icon { src: url('icons.woff2') }\n" + bodies.script(chance, site.web.words, 60_000)
        return text.encode()
    if extension == "js":
        return bodies.script(chance, site.web.words, 90_000).encode()
    return b"wOF2" + chance.randbytes(40_000)


def _redirect(_site: Site, resource: Resource) -> bytes:
    return f'<html><body>Moved <a href="{escape(resource.location or "")}">here</a></body></html>'.encode()


def _error(_site: Site, resource: Resource) -> bytes:
    said = "<html><head><title>Error</title></head><body><h1>%d</h1><p>No such page.</p></body></html>"
    return (said % resource.status).encode()


def _members(site: Site, resource: Resource) -> bytes:
    head = '<meta name="robots" content="nofollow">'
    return page(site, resource, site.token(resource.key, 0), scale=0.3, head=head)


def _moved(_site: Site, _resource: Resource, number: int) -> bytes:
    return (
        f'<html><head><meta http-equiv="Refresh" content="0; URL=/relocated/{number}.html">'
        "<title>Moved</title></head><body>Moved.</body></html>"
    ).encode()


def _edge(site: Site, resource: Resource) -> bytes:
    found = edges(site.web.authority(site.host), site.charset)
    markup = "\n".join(f"<p>{edge.markup}</p>" for edge in found) + NOT_LINKS
    if site.web.parameters.faults:
        markup += "".join(f'<p><a href="/faults/{fault}">{fault}</a></p>' for fault in FAULTS)
    return page(site, resource, site.token(resource.key, 0), scale=0.2, body=markup)


def _edge_leaf(site: Site, resource: Resource, number: int) -> bytes:
    if resource.mime != "text/html":
        return bodies.png(site.web.chance("edge", site.host, number), 600)
    if resource.path == "/edge/base.html":
        head, body = '<base href="/edge/sub/"><title>Base</title>', '<a href="leaf.html">leaf</a>'
    else:
        head, body = f"<title>{escape(resource.path[:60])}</title>", f"<p>{site.token('edge', number)}</p>"
    return f"<html><head>{head}</head><body>{body}</body></html>".encode()


def _fault(_site: Site, _resource: Resource, fault: str) -> bytes:
    return f"<html><body><h1>{fault}</h1><p>{'fault ' * 400}</p></body></html>".encode()


def _image(site: Site, resource: Resource, number: int) -> bytes:
    chance = site.web.chance("image", site.host, number)
    size = lognormal(chance, site.web.parameters.image_median, 1.1, 300, 600_000)
    return bodies.jpeg(chance, size) if resource.mime == "image/jpeg" else bodies.png(chance, size)


def _asset(site: Site, _resource: Resource, name: str) -> bytes:
    chance, words = site.web.chance("asset", site.host, name), site.web.words
    if name in STYLES:
        names = [pick(chance, words.rare) for _ in range(between(chance, 200, 900))]
        rules = "\n".join(
            f".{word}{number} {{ margin: {number}px; color: #{number * 7919 % 0xFFFFFF:06x} }}"
            for number, word in enumerate(names)
        )
        return (STYLES[name] + rules).encode()
    if name in SCRIPTS:
        return bodies.script(chance, words, SCRIPTS[name]).encode()
    if name.endswith(".woff2"):
        return b"wOF2" + chance.randbytes(24_000)
    size = lognormal(chance, 4000, 0.8, 300, 40_000)
    return bodies.jpeg(chance, size) if name.endswith("jpg") else bodies.png(chance, size)


def _pdf(site: Site, _resource: Resource, number: int) -> bytes:
    chance = site.web.chance("pdf", site.host, number)
    return bodies.pdf(chance, site.web.words, site.token("pdf", number))


def _shared(site: Site, _resource: Resource, number: int) -> bytes:
    return site.web.shared(number)[2]


def _json(site: Site, _resource: Resource, number: int) -> bytes:
    related = [site.target(number, salt) for salt in range(5)]
    return json.dumps({"id": number, "related": related, "token": site.token("api", number)}).encode()


def _robots(site: Site, _resource: Resource) -> bytes:
    rules = "User-agent: *\nDisallow: /private/\nDisallow: /search\n\n"
    return f"{rules}Sitemap: {site.origin}/sitemap.xml\n".encode()


def _feed(site: Site, resource: Resource) -> bytes:
    found = (escape(link.href) for link in site.links(resource))
    items = "".join(f"<item><title>t</title><link>{href}</link></item>" for href in found)
    channel = f"<channel><title>{site.title}</title>{items}</channel>"
    return f'<?xml version="1.0"?><rss version="2.0">{channel}</rss>'.encode()


def _sitemap(site: Site, resource: Resource, *_number: int) -> bytes:
    outer, inner = ("urlset", "url") if resource.key[0] == "sitemap" else ("sitemapindex", "sitemap")
    found = (escape(link.href) for link in site.links(resource))
    items = "".join(f"<{inner}><loc>{href}</loc></{inner}>\n" for href in found)
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<{outer} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{items}</{outer}>\n'
    ).encode()


BODIES: dict[str, Callable[..., bytes]] = {
    "lib": _library,
    "redirect": _redirect,
    "error": _error,
    "members": _members,
    "moved": _moved,
    "edge": _edge,
    "edgeleaf": _edge_leaf,
    "fault": _fault,
    "image": _image,
    "asset": _asset,
    "pdf": _pdf,
    "shared": _shared,
    "json": _json,
    "robots": _robots,
    "feed": _feed,
    "sitemap": _sitemap,
    "sitemapindex": _sitemap,
}
