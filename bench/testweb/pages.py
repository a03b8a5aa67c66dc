"""An HTML page: its links in their places, and text up to a size."""

import json
from collections import defaultdict
from html import escape
from random import Random

from bench.testweb.bodies import script
from bench.testweb.links import links
from bench.testweb.model import Link, Resource
from bench.testweb.shape import Shape
from bench.testweb.words import lognormal, pick

AROUND = 1200  # characters of what stands around the text
Slots = defaultdict[str, list[Link]]


def page(
    site: Shape,
    resource: Resource,
    token: str,
    *,
    scale: float = 1,
    version: int = 0,
    head: str = "",
    body: str = "",
) -> bytes:
    chance, words = site.web.chance("html", site.host, resource.key, version), site.web.words
    size = int(lognormal(chance, site.web.parameters.html_median, 0.8, 2000, 400_000) * scale)
    title = words.title(chance).capitalize()
    slots: Slots = defaultdict(list)
    for link in links(site, resource):
        slots[link.slot].append(link)
    written = [*_head(site, chance, slots, title, head), *_top(slots)]
    written.append(
        f'<main class="content"><h1 class="title">{title}</h1>\n'
        f'<p class="meta">Document {token}, version {version}.</p>\n'
    )
    heroes = (f'style="background-image: url({link.href})"' for link in slots["style"])
    written += [f'<div class="hero" {style}></div>\n' for style in heroes]
    written += [body] if body else []
    state = size // 6  # a sixth of a page is script and data
    written += _text(site, chance, slots, size, sum(map(len, written)) + AROUND + state)
    written.append("</main>\n<script>\n" + script(chance, words, state))
    written += [_call(link.href) for link in slots["js"]]
    written.append(
        f'\n</script>\n<footer class="footer"><p>&copy; {site.title}</p></footer>\n</body>\n</html>\n'
    )
    return "".join(written).encode(site.charset)


def _head(site: Shape, chance: Random, slots: Slots, title: str, more: str) -> list[str]:
    written = ['<!DOCTYPE html>\n<html lang="en">\n<head>\n']
    if chance.random() < 0.5:
        written.append(f'<meta charset="{site.charset}">\n')
    else:
        kind = f"text/html; charset={site.charset}"
        written.append(f'<meta http-equiv="Content-Type" content="{kind}">\n')
    said = pick(chance, site.web.words.sentences)
    written.append(f"<title>{title} | {site.title}</title>\n")
    written.append(f'<meta name="description" content="{said}">\n{more}\n')
    styles = ('<link rel="stylesheet" type="text/css" href="', slots["css"])
    icons = ('<link rel="shortcut icon" href="', slots["icon"])
    feeds = ('<link rel="alternate" type="application/rss+xml" title="RSS" href="', slots["feed"])
    for begin, found in (styles, icons, feeds):
        written += [f'{begin}{escape(link.href)}">\n' for link in found]
    for link in slots["og"]:
        written.append(f'<meta property="og:title" content="{title}">\n')
        written.append(f'<meta property="og:image" content="{link.href}">\n')
    written += [f'<script src="{link.href}" defer></script>\n' for link in slots["script"]]
    return written


def _top(slots: Slots) -> list[str]:
    written = ['</head>\n<body class="page">\n<header id="top"><nav class="main-nav"><ul class="nav-list">\n']
    for link in slots["nav"]:
        anchor = f'<a class="nav-link" href="{escape(link.href)}">{link.text}</a>'
        written.append(f'<li class="nav-item">{anchor}</li>\n')
    written.append("</ul></nav></header>\n")
    if slots["crumb"]:
        written.append(f'<div class="breadcrumbs">{" &raquo; ".join(map(_anchor, slots["crumb"]))}</div>\n')
    return written


def _anchor(link: Link) -> str:
    return f'<a href="{escape(link.href)}">{link.text}</a>'


def _text(site: Shape, chance: Random, slots: Slots, size: int, used: int) -> list[str]:
    """Paragraphs, with links and pictures among them, until the page has its size; then cards and pages."""
    words = site.web.words
    pictures = _pictures(site, chance, slots)
    inline = [_anchor(link._replace(text=link.text or words.title(chance, 1, 3))) for link in slots["body"]]
    inline += [f'<a rel="nofollow" href="{link.href}">{link.text}</a>' for link in slots["nofollow"]]
    cards = [_card(site, chance, link) for link in slots["card"]]
    length = used + sum(map(len, (*pictures, *inline, *cards)))
    written = []
    while length < size or inline or pictures:
        said = words.paragraph(chance)
        if inline:
            said += " " + inline.pop() + " " + pick(chance, words.sentences)
        said = f'<p class="text">{said}</p>\n'
        if pictures:
            said += pictures.pop()
        written.append(said)
        length += len(said)
    if cards:
        written.append('<section class="cards"><h2>Read more</h2>\n' + "".join(cards) + "</section>\n")
    if slots["pager"]:
        written.append(f'<div class="pager">{" ".join(map(_anchor, slots["pager"]))}</div>\n')
    return written


def _pictures(site: Shape, chance: Random, slots: Slots) -> list[str]:
    larger = {link.href.replace("@2x", ""): link.href for link in slots["srcset"]}
    found = []
    for link in slots["img"]:
        image = f'<img src="{link.href}" alt="{site.web.words.title(chance, 2, 4)}"'
        if link.href in larger:
            image += f' srcset="{link.href} 1x, {larger[link.href]} 2x"'
        found.append(f'<figure class="figure">{image}></figure>\n')
    return found


def _card(site: Shape, chance: Random, link: Link) -> str:
    title = site.web.words.title(chance, 2, 6)
    anchor = f'<a class="card-link" href="{escape(link.href)}">{title}</a>'
    said = pick(chance, site.web.words.sentences)
    return f'<div class="card"><h3 class="card-title">{anchor}</h3><p class="card-text">{said}</p></div>\n'


def _call(href: str) -> str:
    """A script that puts an address together, so that only running it finds it."""
    stem, _, last = href.rpartition("/")
    parts, name = json.dumps(stem.split("/")[1:]), last.split(".")[0]
    return f'\n(function(){{var a={parts};fetch("/"+a.join("/")+"/"+{name}+"."+"json")}})();'
