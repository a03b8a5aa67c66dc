import pytest
from hypothesis import given
from hypothesis import strategies as st

from armarium.access.rewrite import HtmlRewriter, Kind, Links, rewriter_for

LINKS = Links("/all/", "2013", "http://example.com/path/page.html")
INSERT = b"<i>"


def rewritten(text: str, insert: bytes = b"") -> str:
    return HtmlRewriter(LINKS, head_insert=insert).rewritten(text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<a HREF='/x'>", "<a HREF='/all/2013mp_/http://example.com/x'>"),
        ("<a href=/x>", "<a href=/all/2013mp_/http://example.com/x>"),
        (
            "<a href=/x href=/y>",
            "<a href=/all/2013mp_/http://example.com/x href=/all/2013mp_/http://example.com/y>",
        ),
        ('<a href="&#104;ttp://x/?a=1&copy=2">', '<a href="/all/2013mp_/&#104;ttp://x/?a=1&copy=2">'),
        (
            '<img srcset="/a,b 1x, /c 2x">',
            '<img srcset="/all/2013im_/http://example.com/a,b 1x, /all/2013im_/http://example.com/c 2x">',
        ),
        (
            "<script src=a.js></script>",
            '<script __wb_orig_src="a.js" src=/all/2013js_/http://example.com/path/a.js></script>',
        ),
        (
            "<script type=module src=/a></script>",
            "<script type=module src=/all/2013esm_/http://example.com/a></script>",
        ),
        (
            '<link rel=stylesheet integrity="x" href=/s>',
            '<link rel=stylesheet _integrity="x" href=/all/2013cs_/http://example.com/s>',
        ),
        (
            '<meta http-equiv="Content-Security-Policy" content="x">',
            '<meta http-equiv="Content-Security-Policy" _content="x">',
        ),
        (
            '<meta http-equiv=refresh content="0;url=/x">',
            '<meta http-equiv=refresh content="0;url=/all/2013mp_/http://example.com/x">',
        ),
        ("<a ping=/p>", "<a _ping=/p>"),
        ("<a target=_top>", "<a target=___wb_replay_top_frame>"),
        (
            "<p style='background:url(\"/b\")'>",
            "<p style='background:url(&quot;/all/2013oe_/http://example.com/b&quot;)'>",
        ),
        (
            "<svg><use xlink:href=/u /></svg>",
            "<svg><use xlink:href=/all/2013im_/http://example.com/u /></svg>",
        ),
        (
            "<svg><style>a{fill:url(/f)}</style>",
            "<svg><style>a{fill:url(/all/2013oe_/http://example.com/f)}</style>",
        ),
        (
            '<svg><animate attributeName=href values="/a;/b">',
            '<svg><animate attributeName=href values="/all/2013mp_/http://example.com/a;/all/2013mp_/http://example.com/b">',
        ),
        (
            "<noscript><img src=/n></noscript>",
            "<noscript><img src=/all/2013im_/http://example.com/n></noscript>",
        ),
        (
            '<iframe srcdoc="<img src=/q>">',
            '<iframe srcdoc="&lt;img src=/all/2013im_/http://example.com/q&gt;">',
        ),
        ("<script type=speculationrules>{}{}</script>", "<script type=speculationrules>{}</script>"),
    ],
)
def test_an_attribute_is_rewritten_in_its_place(before: str, after: str) -> None:
    assert rewritten(before) == after


@pytest.mark.parametrize(
    "text",
    [
        "<textarea><a href=/x></textarea>",
        "<title><a href=/x></title>",
        "<xmp><a href=/x></xmp>",
        "<plaintext><a href=/x>",
        "<!-- <a href=/x> -->",
        "<script>'<a href=/x>'</script>",
        '<script type=application/json>{"a": "/x", "location": 1}</script>',
        "<script><!-- <script> </script> <a href=/x> --></script>",
        "<div data-url='http://x/' title='<a href=/x>'>",
        "<p>a < b <3 <",
    ],
)
def test_what_is_text_to_a_browser_stays_as_it_is(text: str) -> None:
    assert rewritten(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<!DOCTYPE html><html><head><title>", "<!DOCTYPE html><html><head><i><title>"),
        ("<!DOCTYPE html><title>", "<!DOCTYPE html><i><title>"),
        ("\ufeff<!-- <head> --><HTML lang=en><body>", "\ufeff<!-- <head> --><HTML lang=en><i><body>"),
        ("only text", "only text<i>"),
    ],
)
def test_the_insert_stands_before_everything_that_could_run(text: str, expected: str) -> None:
    assert rewritten(text, INSERT) == expected


def test_after_base_addresses_are_those_of_the_base() -> None:
    assert rewritten('<base href="//other.org"><img src=/a><base href=/no><img src=/b>') == (
        '<base href="/all/2013mp_/http://other.org/"><img src=/all/2013im_/http://other.org/a>'
        "<base href=/all/2013mp_/http://other.org/no><img src=/all/2013im_/http://other.org/b>"
    )


def test_for_the_banner_only_nothing_but_the_insert_is_new() -> None:
    page = b"<head><a href=/x onclick=location=1><script>location</script>"
    rewriter = HtmlRewriter(LINKS, head_insert=INSERT, url_rewriting=False)
    assert rewriter.feed(page) + rewriter.close() == page.replace(b"<head>", b"<head><i>")


@given(st.binary(max_size=200).filter(lambda data: b"<" not in data))
def test_without_links_every_byte_stays(data: bytes) -> None:
    page = b"<head><p class=x>" + data + b"</p>"
    rewriter = HtmlRewriter(LINKS, head_insert=INSERT)
    assert rewriter.feed(page) + rewriter.close() == page.replace(b"<head>", b"<head><i>", 1)


def test_a_page_in_utf_16_comes_out_in_utf_8() -> None:
    page = "<p>Grüße</p><a href=/x>".encode("utf-16")
    rewriter = rewriter_for(Kind.HTML, LINKS, insert=INSERT, beginning=page[:100])
    out = b"".join(rewriter.feed(page[at : at + 3]) for at in range(0, len(page), 3)) + rewriter.close()
    assert out.decode("utf-8") == "<i><p>Grüße</p><a href=/all/2013mp_/http://example.com/x>"


def test_bytes_of_an_unknown_charset_are_not_touched() -> None:
    page = bytes(range(128, 256)) + b"<a href=/\xff\xfe>\xc3"
    rewriter = HtmlRewriter(LINKS, charset="x-nobody-knows")
    out = rewriter.feed(page) + rewriter.close()
    assert out == page.replace(b"=/", b"=/all/2013mp_/http://example.com/")
