"""Hostile bodies: each is rewritten in time that grows with its length, not with its square."""

from collections.abc import Callable

import pytest

from armarium.access.memento.timegate import preferred
from armarium.access.proxy.archived import place_in
from armarium.access.replay.ranges import begin_of
from armarium.access.rewrite import (
    Archival,
    Kind,
    Links,
    callback_in,
    kind_of,
    parse_archival,
    replayed_headers,
    rewriter_for,
)
from tests.growth import (
    ADDRESS,
    CSS,
    DASH,
    FIELD,
    HLS,
    HTML,
    JS,
    JSON,
    SRCSET,
    XML,
    assert_linear,
)  # fmt: skip

LINKS = Links("http://localhost:8091/all/", "20131010000000", "http://example.com/path/page.html")
FED = 4096  # at a time

Run = Callable[[bytes], object]


def rewrite(kind: Kind, before: bytes = b"", behind: bytes = b"") -> Run:
    def run(data: bytes) -> None:
        body = before + data + behind
        rewriter = rewriter_for(kind, LINKS, insert=b"<i>", callback="f")
        for at in range(0, len(body), FED):
            rewriter.feed(body[at : at + FED])
        rewriter.close()

    return run


def attribute(tag: bytes) -> Run:
    """The text as the value of an attribute, which is the last thing in `tag`."""
    run = rewrite(Kind.HTML, tag + b'="', b'">')
    return lambda data: run(data.replace(b"&", b"&amp;").replace(b'"', b"&quot;"))


def header(name: str) -> Run:
    return lambda data: replayed_headers([(name, data.decode("latin-1"))], LINKS, rewritten=True)


def between(run: Callable[[str], object]) -> Run:
    """A header that a client sends; white space at its ends never comes in."""
    return lambda data: run(f"bytes=1{data.decode('latin-1')};")


def modified(data: bytes) -> None:
    asked = parse_archival(f"2014${data.decode()}/http://a/")
    kind_of(None, asked.mod if isinstance(asked, Archival) else "", "http://a/", b"")


def behind_a_base(run: Run, link: bytes) -> Run:
    """The longer the base, the more links."""
    return lambda data: run(
        b"<base href='http://a/" + data.replace(b"'", b"") + b"/'>" + link * (len(data) // 8)
    )


def ask_for_the_query(data: bytes) -> None:
    """The longer the address, the more lines ask for what it says."""
    links = Links(LINKS.prefix, LINKS.timestamp, f"http://a/?{data.decode()}")
    rewriter = rewriter_for(Kind.HLS, links, insert=b"", callback=None)
    rewriter.feed(b"#EXTM3U\n" + b'#EXT-X-DEFINE:QUERYPARAM="b"\n' * (len(data) // 16))
    rewriter.close()


RUNS: dict[str, tuple[Run, list[str]]] = {
    "sheet": (rewrite(Kind.CSS), CSS),
    "style attribute": (attribute(b"<a style"), CSS),
    "script": (rewrite(Kind.JS, b"window;let a;var top;"), JS),
    "module": (rewrite(Kind.MODULE, b"window;"), JS),
    "handler": (attribute(b"<a onclick"), JS),
    "script address": (attribute(b"<a href='javascript:window' title"), JS),
    "page": (rewrite(Kind.HTML), HTML),
    "page behind a tag": (rewrite(Kind.HTML, b"<p>"), HTML),
    "page as XML": (rewrite(Kind.XHTML, b"<html>"), HTML),
    "set of images": (attribute(b"<img srcset"), SRCSET),
    "address": (attribute(b"<a href"), ADDRESS),
    "refresh": (attribute(b"<meta http-equiv=refresh content"), FIELD),
    "import map": (rewrite(Kind.HTML, b"<script type=importmap>"), JSON),
    "drawing": (rewrite(Kind.XML, b"<svg>"), XML),
    "other XML": (rewrite(Kind.XML), XML),
    "list of a film": (rewrite(Kind.HLS), HLS),
    "variant of a film": (rewrite(Kind.HLS, b"#EXT-X-STREAM-INF:"), HLS),
    "list of a film that asks for its query": (ask_for_the_query, ["a=1&"]),
    "description of a film": (rewrite(Kind.DASH), DASH),
    "call with data": (rewrite(Kind.JSON), JSON),
    "Link": (header("Link"), FIELD),
    "Refresh": (header("Refresh"), FIELD),
    "Set-Cookie": (header("Set-Cookie"), FIELD),
    "Range": (between(begin_of), FIELD),
    "Range of the end": (lambda data: begin_of("bytes=" + data.decode("latin-1")), FIELD),
    "Prefer": (between(preferred), FIELD),
    "modifier": (modified, ADDRESS),
    "links behind a base": (behind_a_base(rewrite(Kind.HTML), b"<a href=../b>"), ["a/"]),
    "name of a callback": (lambda data: callback_in("http://a/?" + data.decode("latin-1")), ADDRESS),
    "kind of a body": (lambda data: kind_of(None, "", "http://a/", data), HTML),
    "place of the banner": (place_in, HTML),
}


class Gone(Exception):  # noqa: N818  (reads as what happened)
    """Nobody waits for the page."""


@pytest.mark.parametrize(
    ("kind", "text"), [(Kind.HLS, b"#EXTM3U\n#A\n"), (Kind.XML, b"<svg><g>a</g>"), (Kind.JS, b"window.x=1")]
)
def test_what_holds_no_address_is_not_worked_on_for_nobody_either(kind: Kind, text: bytes) -> None:
    def nobody() -> None:
        raise Gone

    links = Links(LINKS.prefix, LINKS.timestamp, LINKS.url, go_on=nobody)
    rewriter = rewriter_for(kind, links, insert=b"", callback=None)
    rewriter.feed(text)
    with pytest.raises(Gone):
        rewriter.close()


@pytest.mark.parametrize("name", RUNS)
def test_time_grows_with_the_length_and_not_with_its_square(name: str) -> None:
    run, words = RUNS[name]
    assert_linear(run, words)
