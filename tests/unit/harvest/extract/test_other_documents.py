"""Addresses in everything that is no page."""

import zlib

import pytest

from armarium.core.crawl_order import Extraction
from armarium.formats.http import parse_response
from armarium.harvest.extract import Found, extract
from armarium.harvest.extract.css import css_urls
from tests.cost import processor_seconds

URL = "http://site.test/dir/doc"


def _links(
    mime: str, body: bytes, *, url: str = URL, head: bytes = b"", hop: str = "L", via: str = ""
) -> list[tuple[str, str]]:
    response = parse_response(head) if head else None
    found = extract(url, response, mime, body, hop, Extraction(), via=via)
    return [(link.reference, str(link.hop)) for link in found.links]


@pytest.mark.parametrize(
    ("sheet", "expected"),
    [
        ("a{background:url(a.png)}", ["a.png"]),
        ("a{background:URL( 'a b.png' )}", ["a b.png"]),
        ('@import "a.css"; @import url(b.css) screen;', ["a.css", "b.css"]),
        ("/* url(no.png) */ a{b:url(yes.png)}", ["yes.png"]),
        ("a{content:'url(no.png)'}", []),
        (r"a{b:url(a\28 1\29.png)} c{d:url('\65 .png')}", ["a(1).png", "e.png"]),
        ('a{b:image-set("a.avif" type("image/avif"), url(b.png) 2x)}', ["a.avif", "b.png"]),
        ("@namespace svg url(http://www.w3.org/2000/svg);", []),
        ("a{filter:progid:DXImageTransform.Microsoft.AlphaImageLoader(src='f.png')}", ["f.png"]),
        ("@font-face{src:url(f.eot?#iefix) format('embedded'), local('x')}", ["f.eot?#iefix"]),
    ],
)
def test_a_style_sheet_gives_what_it_loads(sheet: str, expected: list[str]) -> None:
    assert list(css_urls(sheet)) == expected


def test_the_header_gives_redirects_and_links() -> None:
    head = (
        b"HTTP/1.1 302 Found\r\nLocation: /new\r\nRefresh: 5; url=/later\r\nContent-Location: doc.en\r\n"
        b'Link: <style.css>; rel=stylesheet, </next>; rel="next"; title="a, b"\r\n'
        b"Link: <//x.test>; rel=preconnect\r\n\r\n"
    )
    assert _links("", b"", head=head) == [
        ("http://site.test/new", "R"),
        ("http://site.test/later", "R"),
        ("http://site.test/dir/style.css", "E"),
        ("http://site.test/dir/doc.en", "L"),
        ("http://site.test/next", "L"),
    ]
    assert (
        _links("", b"", head=b"HTTP/1.1 200 OK\r\nLocation: /no\r\nLink: " + b"<" * 60_000 + b"\r\n\r\n")
        == []
    )


def test_robots_give_their_sitemaps_only() -> None:
    body = b"User-agent: *\nDisallow: /private/\nSitemap: http://site.test/s.xml\n"
    assert _links("text/plain", body, url="http://site.test/robots.txt") == [("http://site.test/s.xml", "M")]


def test_a_sitemap_is_known_by_its_root_whatever_its_type() -> None:
    body = (
        b'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image='
        b'"http://www.google.com/schemas/sitemap-image/1.1"><url><loc>http://site.test/a</loc><image:image>'
        b"<image:loc>http://site.test/a.jpg</image:loc></image:image></url></urlset>"
    )
    assert _links("text/html", body) == [("http://site.test/a.jpg", "E"), ("http://site.test/a", "M")]


def test_a_plain_list_is_a_sitemap_only_where_it_was_called_one() -> None:
    body = b"http://site.test/a\nhttp://site.test/b\n"
    assert _links("text/plain", body, hop="LM") == [("http://site.test/a", "M"), ("http://site.test/b", "M")]
    assert _links("text/plain", body) == []


def test_a_feed_gives_items_enclosures_and_what_their_texts_show() -> None:
    body = (
        b'<rss version="2.0"><channel><link>http://site.test/</link><item><link>http://site.test/1</link>'
        b'<enclosure url="http://site.test/1.mp3" type="audio/mpeg" length="1"/>'
        b"<description>&lt;img src='/i.png'&gt;&lt;a href='/more'&gt;</description></item></channel></rss>"
    )
    assert _links("application/rss+xml", body) == [
        ("http://site.test/1.mp3", "E"),
        ("http://site.test/i.png", "E"),
        ("http://site.test/", "M"),
        ("http://site.test/1", "M"),
        ("http://site.test/more", "L"),
    ]


@pytest.mark.parametrize(
    ("mime", "body", "expected"),
    [
        (
            "application/json",
            b'{"a":"https:\\/\\/x.test\\/y","image":"/i.jpg","type":"text/html","p":"a/b"}',
            [("https://x.test/y", "X"), ("/i.jpg", "X")],
        ),
        (
            "application/json",
            b'cb({"$schema":"https://s.test/x","url":"/list","t":"/w/{id}"})',
            [("/list", "X")],
        ),
        (
            "application/manifest+json",
            b'{"start_url":"/?pwa","icons":[{"src":"i.png","type":"image/png"}]}',
            [("i.png", "E"), ("/?pwa", "L")],
        ),
        (
            "application/x-mpegurl",
            b'#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI="k.bin"\n#EXTINF:9,\nseg1.ts\n',
            [("k.bin", "E"), ("seg1.ts", "E")],
        ),
        (
            "application/x-mpegurl",
            b'#EXTM3U\n#EXT-X-DEFINE:NAME="cdn",VALUE="http://cdn.test/f"\n#EXT-X-DEFINE:IMPORT="key"\n'
            b'#EXT-X-MAP:URI="{$cdn}/i.mp4"\n{$cdn}/1.ts\n{$key}/2.ts\n',
            [("http://cdn.test/f/i.mp4", "E"), ("http://cdn.test/f/1.ts", "E")],
        ),
        (
            "application/dash+xml",
            b'<MPD><BaseURL>v/</BaseURL><Period><SegmentURL media="1.m4s"/></Period></MPD>',
            [("http://site.test/dir/v/1.m4s", "E")],
        ),
        (
            "text/vtt",
            b"WEBVTT\n\n00:00.000 --> 00:05.000\nthumbs.jpg#xywh=0,0,9,9\n",
            [("thumbs.jpg", "E")],
        ),
        ("image/svg+xml", b"<svg><style/><image href='a.png'/></svg>", [("a.png", "E")]),
        (
            "application/xml",
            b"<?xml-stylesheet href='s.xsl' type='text/xsl'?><g xmlns='http://n.test/x'><p url='a/b.jpg'/>"
            b"<l>https://x.test/y</l><t>and/or</t></g>",
            [("s.xsl", "E"), ("a/b.jpg", "X"), ("https://x.test/y", "X")],
        ),
        ("text/css", b"a{b:url(c.png)}", [("c.png", "E")]),
        ("text/javascript", b"a.src='/b.js'; c.src='d.png'", [("/b.js", "X")]),
        ("image/png", b"\x89PNG http://x.test/", []),
    ],
)
def test_other_documents_give_their_addresses(
    mime: str, body: bytes, expected: list[tuple[str, str]]
) -> None:
    assert _links(mime, body) == expected


def test_the_addresses_of_a_script_count_from_its_page() -> None:
    body = b"a.src='/b.js'; c.src='d.png'; import './e.js'"
    found = _links(
        "text/javascript", body, url="http://cdn.test/lib/x.js", via="http://site.test/p/index.html"
    )
    assert found == [("http://site.test/b.js", "X"), ("http://site.test/p/d.png", "X"), ("./e.js", "X")]


def test_a_pdf_gives_the_addresses_of_its_links() -> None:
    packed = zlib.compress(b"1 0 <</A <</S /URI /URI (http://site.test/packed\\(1\\))>> >>")
    body = (
        b"%PDF-1.5\n<</S /URI /URI (http://site.test/plain)>> <</URI <687474703A2F2F782E746573742F>>>\n"
        b"9 0 obj <</Type /ObjStm /Filter /FlateDecode>> stream\r\n" + packed + b"\nendstream\n%%EOF"
    )
    expected = [("http://site.test/plain", "L"), ("http://x.test/", "L"), ("http://site.test/packed(1)", "L")]
    assert _links("application/pdf", body) == expected
    assert _links("application/pdf", body + b"/Encrypt 5 0 R") == []


def _pdf(*streams: bytes) -> bytes:
    objects = b"".join(
        b"9 0 obj <</Type /ObjStm>> stream\r\n" + zlib.compress(one) + b"\nendstream\n" for one in streams
    )
    return b"%PDF-1.5\n" + objects


def _from_pdf(body: bytes) -> Found:
    return extract(URL, None, "application/pdf", body, "L", Extraction(max_links=100_000))


def test_lists_of_links_in_a_pdf_are_read_however_well_they_are_packed() -> None:
    links = b"".join(b"<</S /URI /URI (http://site.test/page/%d)>>\n" % number for number in range(20_000))
    found = _from_pdf(_pdf(links))
    assert (len(found.links), found.annotations) == (20_000, ())


@pytest.mark.parametrize(
    "streams", [[b" " * 20_000_000, b"/URI (http://x.test/)"], [b"<</URI (http://x.test/)>>"] * 10_001]
)
def test_a_pdf_of_which_not_all_streams_are_read_is_marked_so(streams: list[bytes]) -> None:
    with processor_seconds(20):
        assert _from_pdf(_pdf(*streams)).annotations == ("pdfTrunc",)


def test_a_robots_txt_that_is_not_read_to_its_end_is_marked_so() -> None:
    body = b"Sitemap: http://site.test/s.xml\n" * 20_000
    found = extract("http://site.test/robots.txt", None, "text/plain", body, "P", Extraction())
    assert (len(found.links), found.annotations) == (1, ("robotsTrunc",))


def test_an_address_that_begins_with_the_folder_of_its_script_lies_there() -> None:
    body = b'x = ["assets/a.js", "assets/b.css"]; y = "img/c.png"'
    url, page = "http://site.test/shop/assets/index.js", "http://site.test/shop/deep/page.html"
    assert _links("text/javascript", body, url=url, via=page) == [
        ("/shop/assets/a.js", "X"),
        ("/shop/assets/b.css", "X"),
        ("http://site.test/shop/deep/img/c.png", "X"),
    ]


def test_speculation_rules_name_pages_by_list_and_not_by_pattern() -> None:
    rules = b'{"prefetch": [{"urls": ["next.html", "/x"]}, {"where": {"href_matches": "/y/*"}}]}'
    assert _links("application/speculationrules+json", rules) == [("next.html", "L"), ("/x", "L")]
    head = b'HTTP/1.1 200 OK\r\nSpeculation-Rules: "/rules.json", "r2.json"\r\n\r\n'
    assert _links("text/html", b"", head=head) == [
        ("http://site.test/rules.json", "E"),
        ("http://site.test/dir/r2.json", "E"),
    ]


@pytest.mark.parametrize(
    "mime", ["application/json", "text/xml", "application/pdf", "text/vtt", "application/dash+xml"]
)
@pytest.mark.parametrize(
    "body", [b"", b"\0" * 100, b"\xff\xfe<\0", b'{"' * 50_000, b'"\\"' * 50_000, b"<a>" * 50_000]
)
def test_nonsense_never_raises(mime: str, body: bytes) -> None:
    _links(mime, body)
