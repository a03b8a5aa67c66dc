"""A page read by its pieces gives what the same page gives when it is read as a whole."""

import random

import pytest

from armarium.harvest.extract.findings import Findings, Found
from armarium.harvest.extract.page import Page
from armarium.harvest.extract.pieces import KnownPieces
from tests.cost import processor_seconds

BASE = "http://site.test/dir/page.html"
# What a page is made of, with all that may lead a reader by pieces astray. `N` becomes a number.
PARTS = (
    '<a href="/aN">', "<a href=/bN>", "<A HREF='/cN'>", '<a href="/é&amp;N">', "<a <b href='/dN'>", "</a>",
    "<img src='N.png' alt=\"a > b\">", '<p title="<a href=/eN>">', "</p title=\"<a href='/f'>\">", "</>",
    "</ p>",
    '<a href="/1"href="/2">', "<a b=\"", "\">", "<", "</", "<!", "<x>", "<x ", " text ", "é", "\0", "\r\n",
    '<!-- <a href="/gN"> -->', "<!-->", "<!--->", '<!-- a --!><a href="/h">', '<![CDATA[ <a href="/i"> ]]>',
    '<!--[if IE]><script src="/N.js"></script><![endif]-->', "<!DOCTYPE html>", '<?php echo "<a href=/j>" ?>',
    '<script>var a = "/kN.html";</script>', '<script src="/lN.js">', "</script>", "<SCRIPT>'/mN.js'</SCRIPT>",
    '<script>"<!--<script>"</script><a href="/n">--></script>', "<style>a{background:url(/oN.png)}</style>",
    "<style>", "</style>", '<noscript><img src="/pN.gif"></noscript>', '<title><a href="/q"></title>',
    '<textarea><a href="/r"></textarea>', "<textarea name=q>", "<plaintext>", '<xmp><a href="/s"></xmp>',
    "<iframe srcdoc=\"<base href=/tN/><a href='u'>\"></iframe>", '<base href="/vN/">', "<base>",
    '<iframe srcdoc="&lt;object codebase=/w/ data=N&gt;"></iframe>', '<object codebase="/x/" data="N.swf">',
    '<form action="/yN.php">', "<form class=x>", "</form>", '<input name="q">', "<input type=submit>",
    '<form action="/zN.php"><input type=submit></form>', '<form\x0b action="/N.php">', '<a\x0bhref="/N">',
    '<script type="application/ld+json">{"url": "/N.html", "image": "/N.png"}</script>', "<p class=x>",
)  # fmt: skip


def _as_a_whole(page: bytes) -> Found:
    findings = Findings(BASE, 6000)
    Page(findings, javascript=True, follow_nofollow=True).read(page.decode("utf-8", "replace"))
    return findings.found()


def _by_pieces(known: KnownPieces, page: bytes) -> Found | None:
    findings = Findings(BASE, 6000)
    return findings.found() if known.read(page, findings) else None


@pytest.mark.parametrize("longest", [2, 5, 12])
def test_pages_made_at_random_hold_the_same_links_by_pieces_as_they_hold_as_a_whole(longest: int) -> None:
    chance = random.Random(longest)
    known = KnownPieces(javascript=True)
    read = 0
    for _ in range(3000):
        parts = chance.choices(PARTS, k=chance.randint(1, longest))
        page = "".join(part.replace("N", str(chance.randint(0, 9))) for part in parts).encode()
        found = _by_pieces(known, page)
        if found is not None:
            read += 1
            assert found == _as_a_whole(page), page
    assert read > 300


def test_an_ordinary_page_is_read_by_its_pieces() -> None:
    page = (
        b"<!DOCTYPE html><html lang=en><head><title>A < B</title><meta charset=utf-8>"
        b'<script>f("/a.js")</script><!-- c --><link rel=stylesheet href=/s.css></head>'
        b'<body class=x><p>1 < 2 <a href="/b">B</a></p >'
        b'<form action="/find.php"><input name=q></form>'
        b'<img src=c.png /><svg><use href="#d"/></svg></body></html>'
    )
    known = KnownPieces(javascript=True)
    first = _by_pieces(known, page)
    assert first == _by_pieces(known, page) == _as_a_whole(page)
    assert first is not None
    assert [link.reference for link in first.links] == ["/s.css", "c.png", "/b", "/a.js"]


@pytest.mark.parametrize(
    "page",
    [b'<a title=">" href=/a>', b"<base href=/b/>", b"<script>", b"<!-- open", b"<plaintext>", b"</p '>'>"],
)
def test_a_page_of_which_the_pieces_do_not_stand_for_themselves_is_refused_each_time(page: bytes) -> None:
    known = KnownPieces(javascript=True)
    assert [_by_pieces(known, page + b"<a href=/after>") for _ in range(2)] == [None, None]


def test_a_page_with_more_links_than_there_is_room_for_is_left_to_be_counted_as_a_whole() -> None:
    findings = Findings(BASE, 2)
    assert not KnownPieces(javascript=True).read(b"<a href=/a><a href=/b><a href=/c>", findings)
    assert findings.found().links == []


def test_what_is_remembered_is_forgotten_before_it_grows_without_end() -> None:
    known = KnownPieces(javascript=True)
    for number in range(40):
        tags = (b"<a href=/%d/%d>" % (number, each) for each in range(1000))
        assert _by_pieces(known, b"".join(tags)) is not None
    assert len(known) < 15_000


@pytest.mark.parametrize("part", [b"<script>", b"<!--", b"<form>", b"<a ", b"</p '", b"<title", b"<!-"])
def test_what_never_ends_takes_time_in_proportion_to_its_length(part: bytes) -> None:
    with processor_seconds(2):
        _by_pieces(KnownPieces(javascript=True), part * (1_000_000 // len(part)))
