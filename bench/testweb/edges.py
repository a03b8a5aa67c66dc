"""Awkward spellings of links, each with what a crawler should make of it."""

from typing import NamedTuple

HTML, PNG = "text/html", "image/png"


class Edge(NamedTuple):
    path: str
    mime: str
    level: str
    href: str | None  # as it should be resolved; None: it is linked elsewhere
    markup: str


def edges(authority: str, charset: str) -> list[Edge]:
    long = "/edge/long-" + "x" * 1500 + ".html"
    cafe = "/edge/café.html" if charset == "utf-8" else "/edge/caf%C3%A9.html"
    return [
        _page("/edge/caf%C3%A9.html", _link(cafe)),
        _page("/edge/with%20space.html", _link("with space.html")),
        _page("/edge/a%2Fb.html", _link("/edge/a%2Fb.html")),
        _page("/edge/Case.html", _link("Case.html")),
        _page("/edge/case.html", _link("case.html")),
        _page("/edge/q.html?a=1&b=2", _link("q.html?a=1&amp;b=2")),
        _page("/edge/q.html?bare&c=3", _link("q.html?bare&c=3")),
        _page("/edge/q.html?e=", _link("q.html?e=")),
        _page("/edge/dots.html", _link("./x/../dots.html")),
        _page("/edge/proto.html", _link(f"//{authority}/edge/proto.html")),
        _page("/edge/blank.html", '<a href=" \n/edge/blank.html\t">x</a>'),
        _page("/edge/newline.html", '<a href="/edge/new\nline.html">x</a>'),
        _page("/edge/unquoted.html", "<a href=/edge/unquoted.html>x</a>"),
        _page("/edge/single.html", "<A HREF='/edge/single.html'>x</A>"),
        _page("/edge/entity.html", _link("&#47;edge&#x2F;entity.html")),
        _page("/edge/backslash.html", _link("\\edge\\backslash.html")),
        _page("/edge/area.html", '<map name=m><area shape=rect coords=0,0,1,1 href="area.html"></map>'),
        _page("/edge/iframe.html", '<iframe src="iframe.html"></iframe>'),
        _page("/edge/object.html", '<object data="object.html" type="text/html"></object>'),
        _picture("embed", '<embed src="embed.png">'),
        _picture("poster", '<video poster="poster.png"></video>'),
        _picture("audio", '<audio><source src="audio.png"></audio>'),
        _picture("input", '<input type=image src="input.png">'),
        _picture("background", '<table background="background.png"></table>'),
        _picture("noscript", '<noscript><img src="noscript.png"></noscript>'),
        _picture("svg", '<svg><image xlink:href="svg.png" width="1" height="1"/></svg>'),
        _picture(
            "picture", '<picture><source srcset="picture.png 2x"><img src="embed.png"></picture>', "srcset"
        ),
        _picture("style", "<style>.e{background:url( 'style.png' )}</style>", "css"),
        _page("/edge/base.html", _link("base.html")),
        Edge("/edge/sub/leaf.html", HTML, "html", None, ""),
        _page("/edge/comment.html", '<!-- <a href="comment.html">x</a> -->'),
        _page(
            "/edge/location.html",
            "<a href=\"javascript:location='/edge/'+'location'+'.html'\">x</a>",
            "js",
        ),
        _page(long, _link(long)),
    ]


def _link(href: str) -> str:
    return f'<a href="{href}">x</a>'


def _page(path: str, markup: str, level: str = "html") -> Edge:
    return Edge(path, HTML, level, path, markup)


def _picture(name: str, markup: str, level: str = "html") -> Edge:
    path = f"/edge/{name}.png"
    return Edge(path, PNG, level, path, markup)
