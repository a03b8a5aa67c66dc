import pytest

from armarium.access.rewrite import Kind, Links, callback_in, kind_of, rewriter_for

LINKS = Links("/all/", "2013", "http://example.com/a/list")
PAGE = b"<!DOCTYPE html><html>"


@pytest.mark.parametrize(
    ("content_type", "mod", "beginning", "kind"),
    [
        ("text/html; charset=utf-8", "mp_", PAGE, Kind.HTML),
        ("text/html", "mp_", b' {"a": 1}', Kind.JSON),
        ("text/html", "js_", b"var a", Kind.JS),
        ("text/html", "js_", PAGE, Kind.PLAIN),
        ("text/html", "cs_", b"a {}", Kind.CSS),
        ("text/plain", "mp_", PAGE, Kind.PLAIN),
        ("text/plain", "mp_", b"#EXTM3U\n", Kind.HLS),
        (None, "mp_", PAGE, Kind.HTML),
        (None, "mp_", b"plain", Kind.PLAIN),
        ("image/png", "cs_", b"\x89PNG", Kind.PLAIN),
        ("image/png", "js_", b"\x89PNG", Kind.PLAIN),
        ("text/css", "mp_", b"a", Kind.CSS),
        ("application/x-javascript", "mp_", b"a", Kind.JS),
        ("text/javascript", "esm_", b"import", Kind.MODULE),
        ("text/javascript", "wkr_", b"a", Kind.WORKER),
        ("text/html", "id_", PAGE, Kind.PLAIN),
        ("application/xhtml+xml", "mp_", PAGE, Kind.XHTML),
        ("image/svg+xml", "im_", b"<svg", Kind.XML),
        ("application/ld+json", "mp_", b"{}", Kind.JSON),
        ("application/dash+xml", "oe_", b"<MPD", Kind.DASH),
    ],
)
def test_a_body_is_what_the_browser_takes_it_for(
    content_type: str | None, mod: str, beginning: bytes, kind: Kind
) -> None:
    assert kind_of(content_type, mod, "http://example.com/", beginning) is kind


def run(kind: Kind, body: str, callback: str | None = None) -> str:
    rewriter = rewriter_for(kind, LINKS, callback=callback)
    return (rewriter.feed(body.encode()) + rewriter.close()).decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a{b:url(/x)}", "a{b:url(/all/2013oe_/http://example.com/x)}"),
        ("a{b:URL( '/x' )}", "a{b:URL( '/all/2013oe_/http://example.com/x' )}"),
        ('@import/**/"/x"', '@import/**/"/all/2013cs_/http://example.com/x"'),
        ("@IMPORT url(//y/x)", "@IMPORT url(/all/2013cs_/http://y/x)"),
        ("a{b:\\75 rl(/x)}", "a{b:\\75 rl(/all/2013oe_/http://example.com/x)}"),
        ("a{b:url(\\2f x)}", "a{b:url(/all/2013oe_/http://example.com/x)}"),
        (
            "a{b:image-set('/x' 1x, '/y' 2x)}",
            "a{b:image-set('/all/2013oe_/http://example.com/x' 1x, '/all/2013oe_/http://example.com/y' 2x)}",
        ),
        ("a{b:url(data:x)} c{d:url(x.png)}", "a{b:url(data:x)} c{d:url(x.png)}"),
    ],
)
def test_addresses_in_a_sheet_are_found_in_any_disguise(before: str, after: str) -> None:
    assert run(Kind.CSS, before) == after


def test_a_call_gets_the_name_that_was_asked_for() -> None:
    url = "http://example.com/?callback=now_5"
    assert run(Kind.JSON, '/**/ then_4({"a": 1})', callback_in(url)) == 'now_5({"a": 1})'
    assert run(Kind.JSON, '{"a": 1}', callback_in(url)) == '{"a": 1}'
    assert callback_in("http://example.com/?callback=alert(1)") is None


def test_of_a_film_one_variant_is_left() -> None:
    master = (
        '#EXTM3U\n#EXT-X-MEDIA:URI="/a.m3u8"\n#EXT-X-STREAM-INF:BANDWIDTH=100\nlow.m3u8\n'
        "#EXT-X-STREAM-INF:BANDWIDTH=300,RESOLUTION=640x360\n/mid.m3u8\n"
        "#EXT-X-STREAM-INF:BANDWIDTH=90000000\nhuge.m3u8\n"
    )
    assert run(Kind.HLS, master) == (
        '#EXTM3U\n#EXT-X-MEDIA:URI="/all/2013oe_/http://example.com/a.m3u8"\n'
        "#EXT-X-STREAM-INF:BANDWIDTH=300,RESOLUTION=640x360\n/all/2013oe_/http://example.com/mid.m3u8\n"
    )


def test_of_a_dash_set_one_representation_is_left() -> None:
    text = (
        '<AdaptationSet><Representation bandwidth="1"><BaseURL>/a</BaseURL></Representation>'
        '<Representation bandwidth="2"><BaseURL>/b</BaseURL></Representation></AdaptationSet>'
    )
    assert run(Kind.DASH, text) == (
        '<AdaptationSet><Representation bandwidth="2"><BaseURL>/all/2013oe_/http://example.com/b</BaseURL>'
        "</Representation></AdaptationSet>"
    )


def test_feeds_are_left_and_drawings_are_not() -> None:
    assert (
        run(Kind.XML, "<rss><link>http://x/</link><a href='/x'/></rss>")
        == "<rss><link>http://x/</link><a href='/x'/></rss>"
    )
    assert (
        run(Kind.XML, "<svg><image href='/x'/></svg>")
        == "<svg><image href='/all/2013im_/http://example.com/x'/></svg>"
    )
    sheet = '<?xml-stylesheet href="/s.xsl"?><a/>'
    assert run(Kind.XML, sheet) == '<?xml-stylesheet href="/all/2013cs_/http://example.com/s.xsl"?><a/>'


@pytest.mark.parametrize(
    ("page", "inserted"),
    [
        ("<html><head><title/></head></html>", "<html><head><i/><title/></head></html>"),
        ("<?xml version='1.0'?><html><body/></html>", "<?xml version='1.0'?><html><i/><body/></html>"),
        ("<h:html><h:head/></h:html>", "<h:html><i/><h:head/></h:html>"),
        ("<!-- nothing -->", "<!-- nothing -->"),
    ],
)
@pytest.mark.parametrize("size", [1, 1000])
def test_what_is_put_into_a_page_of_xml_stands_inside_its_root(page: str, inserted: str, size: int) -> None:
    rewriter = rewriter_for(Kind.XHTML, LINKS, insert=b"<i/>")
    written = b"".join(rewriter.feed(page[at : at + size].encode()) for at in range(0, len(page), size))
    assert (written + rewriter.close()).decode() == inserted


def test_an_empty_element_of_xhtml_has_no_content() -> None:
    assert run(Kind.XHTML, "<script src='/s'/><a href='/x'/>") == (
        "<script src='/all/2013js_/http://example.com/s'/><a href='/all/2013mp_/http://example.com/x'/>"
    )


def test_a_worker_loads_the_wombat_of_workers_and_runs_without_it() -> None:
    rewritten = run(Kind.WORKER, "work()")
    assert 'importScripts("/-/static/wombatWorkers.js")' in rewritten
    assert rewritten.endswith("catch(e){}})();work()")
