"""Addresses in pages."""

import pytest

from armarium.core.crawl_order import Extraction
from armarium.formats.http import parse_response
from armarium.harvest.extract import Found, extract
from armarium.harvest.model import Hop
from tests.cost import processor_seconds

URL = "http://site.test/dir/page.html"


def _found(html: str, **options: object) -> Found:
    return extract(URL, None, "text/html", html.encode(), "L", Extraction.model_validate(options))


def _links(html: str, **options: object) -> list[tuple[str, str, str]]:
    return [(link.reference, str(link.hop), link.context) for link in _found(html, **options).links]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<a href="x.html">', [("x.html", "L", "a/@href")]),
        ("<A HREF='x.html'>", [("x.html", "L", "a/@href")]),
        ("<a href=x.html>", [("x.html", "L", "a/@href")]),
        ('<a href="&#47;a&amp;b">', [("/a&b", "L", "a/@href")]),
        ('<area href="m.html">', [("m.html", "L", "area/@href")]),
        ('<img src="i.png" lowsrc="l.png">', [("i.png", "E", "img/@src"), ("l.png", "E", "img/@lowsrc")]),
        ('<img srcset="a.png 1x, b.png 2x">', [("a.png", "E", "img/@srcset"), ("b.png", "E", "img/@srcset")]),
        (
            '<link rel="preload" imagesrcset="p.png 2x" href="q.png">',
            [("q.png", "E", "link/@href"), ("p.png", "E", "link/@imagesrcset")],
        ),
        ('<img data-src="lazy.jpg">', [("lazy.jpg", "E", "img/@data-src")]),
        ('<div data-bg="url(bg.jpg)">', [("bg.jpg", "E", "div/@data-bg")]),
        ('<div data-src="#modal" data-image="true" data-original="12">', []),
        ('<div data-anything="https://o.test/x">', [("https://o.test/x", "X", "div/@data-anything")]),
        (
            '<video poster="p.jpg"><source src="v.mp4"><track src="t.vtt">',
            [("p.jpg", "E", "video/@poster"), ("v.mp4", "E", "source/@src"), ("t.vtt", "E", "track/@src")],
        ),
        (
            '<table background="b.gif"><body background=c.gif>',
            [("b.gif", "E", "table/@background"), ("c.gif", "E", "body/@background")],
        ),
        ('<object data="o.swf" codebase="/cb/">', [("http://site.test/cb/o.swf", "E", "object/@data")]),
        ('<object classid="clsid:D27"><param name="movie" value="m.swf">', [("m.swf", "E", "param/@value")]),
        (
            '<applet code="a.b.C" codebase="classes/">',
            [("http://site.test/dir/classes/a/b/C.class", "E", "applet/@code")],
        ),
        (
            '<applet code="C.class" archive="x.jar, y.jar">',
            [("x.jar", "E", "applet/@archive"), ("y.jar", "E", "applet/@archive")],
        ),
        ('<embed src="e.swf">', [("e.swf", "E", "embed/@src")]),
        (
            '<iframe src="f.html"></iframe><frame src="g.html">',
            [("f.html", "E", "iframe/@src"), ("g.html", "E", "frame/@src")],
        ),
        ('<iframe srcdoc="&lt;img src=in.png&gt;">', [("in.png", "E", "img/@src")]),
        ('<meta http-equiv="refresh" content="0; URL=\'next.html\'">', [("next.html", "R", "meta/@content")]),
        ('<meta http-equiv="refresh" content="30">', []),
        (
            '<meta property="og:image" content="/o.jpg"><meta name="twitter:image" content="//c.test/t.jpg">',
            [("/o.jpg", "E", "meta/@content"), ("//c.test/t.jpg", "E", "meta/@content")],
        ),
        ('<meta name="description" content="see /a.html">', []),
        (
            '<link rel=stylesheet href=s.css><link rel="shortcut icon" href=i.ico><link rel=manifest href=m>',
            [("s.css", "E", "link/@href"), ("i.ico", "E", "link/@href"), ("m", "E", "link/@href")],
        ),
        (
            "<link rel=canonical href=c.html><link rel=next href=n.html><link rel=alternate href=f.xml>",
            [("c.html", "L", "link/@href"), ("n.html", "L", "link/@href"), ("f.xml", "L", "link/@href")],
        ),
        ('<link rel="dns-prefetch" href="//o.test"><link rel=preconnect href="https://p.test">', []),
        ('<p style="background: url(&quot;b.png&quot;)">', [("b.png", "E", "p/@style")]),
        (
            "<style>@import 'i.css'; a{background:url( 'b.png' )}</style>",
            [("i.css", "E", "style/css"), ("b.png", "E", "style/css")],
        ),
        ("<script>location.href='/next.html'</script>", [("/next.html", "X", "=JS_STRING")]),
        (
            "<a href=\"javascript:window.open('/pop.html')\" onclick=\"go('/x/y.html')\">",
            [("/pop.html", "X", "a/@href"), ("/x/y.html", "X", "a/@onclick")],
        ),
        (
            '<script type="application/ld+json">{"@context":"https://schema.org","image":"/i.jpg",'
            '"url":"https://site.test/p"}</script>',
            [("/i.jpg", "E", "=JSON_LD"), ("https://site.test/p", "L", "=JSON_LD")],
        ),
        ('<script type="text/x-template"><a href="/tpl/{{id}}.html"></script>', []),
        (
            "<noscript><img src=n.png></noscript><noframes><a href=o.html></noframes>",
            [("n.png", "E", "img/@src"), ("o.html", "L", "a/@href")],
        ),
        (
            "<svg><image xlink:href='s.png'/><use href='u.svg#i'/><a xlink:href='l.html'/></svg>",
            [
                ("s.png", "E", "image/@xlink:href"),
                ("u.svg", "E", "use/@href"),
                ("l.html", "L", "a/@xlink:href"),
            ],
        ),
        ("<math><mi href='m.html'>x</mi></math>", [("m.html", "L", "mi/@href")]),
        ("<template><img src=t.png></template>", [("t.png", "E", "img/@src")]),
        (
            "<blockquote cite=c.html><html manifest=m.appcache>",
            [("m.appcache", "E", "html/@manifest"), ("c.html", "L", "blockquote/@cite")],
        ),
        ("<!-- <a href=no.html> --><textarea><a href=no.html></textarea><title><a href=no.html></title>", []),
        ("<!--[if lt IE 9]><script src=ie.js></script><![endif]-->", [("ie.js", "E", "script/@src")]),
        (
            "<a href='#top'><a href=''><a href='mailto:a@b.test'><a href='tel:1'><a href='javascript:x()'>",
            [],
        ),
        ("<a href='{{url}}'><a href='${x}'><img src='data:image/gif;base64,R0'>", []),
        ("<a href='java\nscript:x()'>", []),
        (
            "<select><option value='jump.html'><option value='3'></select>",
            [("jump.html", "X", "option/@value")],
        ),
        ("<form action='/search'><input name=q></form>", []),
        ("<form action='/send.php' method=post></form>", []),
        ("<form action='/print.html'><button>Print</button></form>", [("/print.html", "L", "form/@action")]),
    ],
)
def test_an_address_is_found_where_the_page_holds_it(html: str, expected: list[tuple[str, str, str]]) -> None:
    assert _links(html) == expected


def test_data_for_browsers_in_a_page_is_read_for_what_it_is() -> None:
    page = (
        '<script type=importmap>{"imports": {"three": "./vendor/three.js", "lib/": "/lib/", "x": "bare"},'
        ' "scopes": {"/old/": {"y": "https://cdn.test/y.js"}},'
        ' "integrity": {"./z.js": "sha384-a/b"}}</script>'
        '<script type=speculationrules>{"prerender": [{"urls": ["next.html"]},'
        ' {"where": {"href_matches": "/shop/*"}}]}</script>'
        '<script type="application/ld+json">{"@type": "Book", "name": "a/b",'
        ' "image": ["cover.jpg", "img/2.png"],'
        ' "url": "book.html", "author": {"name": "x.html", "sameAs": ["/u/1", "/en/", "/{id}"]}}</script>'
    )
    assert _links(page) == [
        ("./vendor/three.js", "E", "script/importmap"),
        ("https://cdn.test/y.js", "E", "script/importmap"),
        ("cover.jpg", "E", "=JSON_LD"),
        ("img/2.png", "E", "=JSON_LD"),
        ("next.html", "L", "script/speculationrules"),
        ("book.html", "L", "=JSON_LD"),
        ("/u/1", "L", "=JSON_LD"),
        ("/en/", "L", "=JSON_LD"),
    ]


def test_the_bare_name_of_a_page_is_a_guess_in_a_menu_only() -> None:
    assert _links("<a data-link='class.Object.html'><b data-file='map.pdf'><option value='jump.html'>") == [
        ("map.pdf", "X", "b/@data-file"),
        ("jump.html", "X", "option/@value"),
    ]


def test_the_first_base_counts_and_only_on_the_web() -> None:
    assert _found("<base href='/sub/'><base href='/other/'>").base == "http://site.test/sub/"
    assert _found("<base href='data:text/html,x'>").base == URL
    assert _found("<base href='http://[bad'>").base == URL


def test_each_reference_is_given_once_for_each_hop_and_embeds_come_first() -> None:
    page = "<a href=i.png><img src=i.png><a href=i.png><script>x.src='i.png'</script>"
    assert [(link.reference, link.hop) for link in _found(page).links] == [
        ("i.png", Hop.EMBED),
        ("i.png", Hop.LINK),
    ]


def test_nofollow_is_respected_when_asked() -> None:
    page = "<a rel='nofollow' href=n.html><a href=y.html><img src=i.png>"
    assert [link[0] for link in _links(page)] == ["i.png", "n.html", "y.html"]
    assert [link[0] for link in _links(page, follow_nofollow=False)] == ["i.png", "y.html"]
    page = "<meta name=robots content='noindex, NoFollow'><a href=y.html><img src=i.png>"
    assert [link[0] for link in _links(page, follow_nofollow=False)] == ["i.png"]


def test_scripts_are_left_alone_when_asked() -> None:
    assert (
        _links("<script>location='/x.html'</script><a onclick=\"open('/y.html')\">", javascript=False) == []
    )


def test_links_beyond_the_limit_are_counted() -> None:
    found = _found("".join(f"<a href={n}.html>" for n in range(10)), max_links=4)
    assert (len(found.links), found.discarded) == (4, 6)
    assert [link.reference for link in found.dropped] == [f"{n}.html" for n in range(4, 10)]


def test_sections_of_a_page_and_repeats_take_no_room_from_other_pages() -> None:
    sections = "".join(f"<a href='/law.html#s{n}'>§ {n}</a>" for n in range(6000))
    found = _found(f"{sections}<a href='/next.html'><a href='/next.html#x'>", max_links=2)
    assert [link.reference for link in found.links] == ["/law.html", "/next.html"]
    assert found.discarded == 0


def test_what_a_page_both_shows_and_links_takes_the_room_of_one() -> None:
    pictures = "".join(f"<a href={n}.jpg><img src={n}.jpg></a>" for n in range(3))
    found = _found(pictures, max_links=3)
    assert (len(found.links), found.discarded) == (6, 0)


def test_an_address_takes_the_room_of_one_however_it_is_spelled() -> None:
    spellings = "".join(f"<a href='/{'./' * n}law.html#s'><a href='/x{n}/../law.html'>" for n in range(9))
    found = _found(f"{spellings}<a href='http://[/'><a href='next.html'><a href='last.html'>", max_links=3)
    assert [link.reference for link in found.links][-2:] == ["next.html", "last.html"]
    assert (found.discarded, found.dropped) == (0, ())


def test_of_many_spellings_beyond_the_limit_one_is_dropped() -> None:
    found = _found(
        "<a href=1>" + "".join(f"<a href=/{'./' * n}2><img src=/x{n}/../2>" for n in range(9)), max_links=1
    )
    assert (len(found.links), found.discarded, len(found.dropped)) == (1, 1, 1)


def test_spellings_without_end_are_not_all_kept() -> None:
    found = _found("".join(f"<a href='/x{n}/../law.html'>" for n in range(500)), max_links=10)
    assert len(found.links) == 10


def test_what_is_dropped_is_counted_once_however_often_it_stands_there() -> None:
    found = _found("<a href=1>" + "<a href=2#a><a href=2#b><img src=2>" * 5, max_links=1)
    assert (found.discarded, [link.reference for link in found.dropped]) == (1, ["2"])


def test_the_encoding_comes_from_header_then_page() -> None:
    body = "<meta charset=windows-1252><a href='?q=é'>".encode("windows-1252")
    found = extract(URL, None, "text/html", body, "", Extraction())
    assert (found.encoding, found.links[0].reference) == ("windows-1252", "?q=é")
    head = parse_response(b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=koi8-r\r\n\r\n")
    assert extract(URL, head, "text/html", body, "", Extraction()).encoding == "koi8-r"


def test_an_xhtml_script_may_end_where_it_begins() -> None:
    page = b'<html xmlns="http://www.w3.org/1999/xhtml"><script src="a.js"/><a href="b.html">x</a></html>'
    found = extract(URL, None, "application/xhtml+xml", page, "", Extraction())
    assert [link.reference for link in found.links] == ["a.js", "b.html"]


def test_very_many_attributes_and_links_are_bounded() -> None:
    with processor_seconds(15):
        attributes = "<a " + " ".join(f"a{n}=x" for n in range(100_000)) + ">"
        links = "".join(f"<a href={n}>" for n in range(100_000))
        assert len(_found(attributes + links).links) == 6000
