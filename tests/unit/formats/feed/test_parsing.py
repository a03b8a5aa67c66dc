"""Feeds of every format."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armarium.formats.feed import FeedLink, FeedText, parse_feed

HERE = "https://example.org/feeds/news.xml"

RSS = b"""<?xml version="1.0"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>
<title>News</title><link>/</link><image><title>Logo</title><url>/logo.png</url><link>/other</link></image>
<item><title>One &amp; only</title><link>one.html?a=1&b=2</link><guid isPermaLink="false">1</guid>
<pubDate>Mon, 06 Sep 2010 00:01:00 +0200</pubDate>
<enclosure url="/one.mp3" type="audio/mpeg" length="9"/>
<content:encoded><![CDATA[<a href="/in">x</a><img src='pic.png'>]]></content:encoded></item>
<item><guid>https://example.org/two</guid></item>
</channel></rss>"""

ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/base/">
<title type="html">A &lt;b&gt;title&lt;/b&gt;</title><id>urn:f</id><updated>2024-05-01T00:00:00Z</updated>
<link href="page"/><link rel="self" href="/self"/>
<entry xml:base="https://example.net/e/"><id>urn:e</id><title>E</title>
<link rel="enclosure" href="f.mp4" title="F"/><link href="x"/><published>2024-04-01T00:00:00Z</published>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><a href="y">&lt;y&gt;</a></div></content>
<source><id>urn:s</id><title>S</title><link href="/s"/></source></entry></feed>"""


def test_rss_is_read_for_people_and_for_the_crawler() -> None:
    feed = parse_feed(RSS, url=HERE)
    assert (feed.version, feed.link) == ("rss20", "https://example.org/")
    assert feed.title == FeedText("News", "text", HERE)
    one, two = feed.items
    assert (one.id, one.link) == ("1", "https://example.org/feeds/one.html?a=1&b=2")
    assert one.title is not None
    assert one.title.value == "One & only"
    assert one.published == datetime(2010, 9, 5, 22, 1, tzinfo=UTC)
    assert one.enclosures == [FeedLink("https://example.org/one.mp3", "enclosure", "audio/mpeg", None, "9")]
    assert (two.id, two.link) == ("https://example.org/two", "https://example.org/two")
    assert feed.urls() == [
        "https://example.org/",
        "https://example.org/logo.png",
        "https://example.org/feeds/one.html?a=1&b=2",
        "https://example.org/one.mp3",
        "https://example.org/in",
        "https://example.org/feeds/pic.png",
        "https://example.org/two",
    ]


def test_atom_is_read_with_its_bases() -> None:
    feed = parse_feed(ATOM, url=HERE)
    assert (feed.version, feed.id, feed.link) == ("atom10", "urn:f", "https://example.org/base/page")
    assert feed.title == FeedText("A <b>title</b>", "html", "https://example.org/base/")
    assert feed.updated == datetime(2024, 5, 1, tzinfo=UTC)
    [entry] = feed.items
    assert entry.link == "https://example.net/e/x"
    assert [link.href for link in entry.enclosures] == ["https://example.net/e/f.mp4"]
    assert (
        entry.content[0].value == '<div xmlns="http://www.w3.org/1999/xhtml"><a href="y">&lt;y&gt;</a></div>'
    )
    assert entry.source is not None
    assert entry.source.link == "https://example.net/s"
    assert "https://example.net/e/y" in feed.urls()


@pytest.mark.parametrize(
    ("document", "version"),
    [
        ('<rss version="0.91"><channel/></rss>', "rss091u"),
        (
            '<rdf:RDF xmlns="http://purl.org/rss/1.0/"><item rdf:about="u"><link>/i</link></item></rdf:RDF>',
            "rss10",
        ),
        (
            '<feed version="0.3" xmlns="http://purl.org/atom/ns#"><entry><link href="/i"/></entry></feed>',
            "atom03",
        ),
        ('<CHANNEL HREF="/"><ITEM HREF="/i"><TITLE>t</TITLE></ITEM></CHANNEL>', "cdf"),
        ("<html/>", ""),
        ("", ""),
    ],
)
def test_the_version_is_told(document: str, version: str) -> None:
    feed = parse_feed(document.encode(), url=HERE)
    assert feed.version == version
    assert [item.link for item in feed.items] in ([], ["https://example.org/i"])


def test_a_json_feed_is_a_feed() -> None:
    data = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": "J",
        "home_page_url": "/",
        "feed_url": "/feed.json",
        "items": [
            {
                "id": 7,
                "url": "a",
                "title": "A",
                "content_html": "<a href='b'>b</a>",
                "date_published": "2024-05-01T00:00:00Z",
                "attachments": [{"url": "c.mp3", "mime_type": "audio/mpeg", "size_in_bytes": 5}],
            },
            "not an item",
        ],
    }
    feed = parse_feed(json.dumps(data).encode(), url=HERE)
    [item] = feed.items
    assert (feed.version, feed.link, item.id) == ("json11", "https://example.org/", "7")
    assert item.published == datetime(2024, 5, 1, tzinfo=UTC)
    assert [link.length for link in item.enclosures] == ["5"]
    assert feed.urls() == [
        "https://example.org/",
        "https://example.org/feed.json",
        "https://example.org/feeds/a",
        "https://example.org/feeds/c.mp3",
        "https://example.org/feeds/b",
    ]


def test_base64_is_undone_and_what_only_looks_so_stays() -> None:
    document = (
        '<feed xmlns="http://www.w3.org/2005/Atom"><title type="application/octet-stream">PGI+</title></feed>'
    )
    assert parse_feed(document.encode()).title == FeedText("<b>", "application/octet-stream", "")
    assert parse_feed(document.replace("PGI+", "PGI").encode()).title == FeedText(
        "PGI", "application/octet-stream", ""
    )


def test_elements_of_other_vocabularies_do_not_take_the_place_of_the_feeds_own() -> None:
    document = (
        '<rss xmlns:x="urn:x"><channel><item><x:title>wrong</x:title><title>right</title><x:link>/w</x:link>'
    )
    [item] = parse_feed(document.encode(), url=HERE).items
    assert item.title is not None
    assert (item.title.value, item.link) == ("right", None)


def test_the_limit_of_items_is_kept_and_told() -> None:
    feed = parse_feed(b"<rss><channel>" + b"<item/>" * 20, max_items=5)
    assert (len(feed.items), feed.cut) == (5, True)


@pytest.mark.parametrize("document", [b"[" * 100_000, b'{"a":' * 50_000, b'{"version": 1e999}', b"{", b"[1]"])
def test_json_that_is_no_feed_is_no_harm(document: bytes) -> None:
    assert parse_feed(document).version == ""


@given(st.binary(max_size=400))
def test_any_bytes_may_be_a_feed(data: bytes) -> None:
    for document in (data, b"<rss><channel><item>" + data, b"<feed>" + data):
        parse_feed(document, url=HERE).urls()


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["items", "url", "id", "attachments", "hubs", "title"]), inner, max_size=4
        )
    ),
    max_leaves=10,
)


@given(st.dictionaries(st.sampled_from(["items", "hubs", "title", "home_page_url"]), _JSON))
def test_any_json_may_stand_in_a_json_feed(data: dict[str, object]) -> None:
    feed = {"version": "https://jsonfeed.org/version/1", **data}
    assert parse_feed(json.dumps(feed).encode(), url=HERE).version == "json1"


def test_json_too_long_to_be_read_as_a_whole_is_not_read() -> None:
    beginning = b'{"version": "https://jsonfeed.org/version/1.1", "items": [{"id": "1"}'
    whole = parse_feed(beginning + b" " * 4_000_000 + b"]}")
    assert (whole.version, len(whole.items), whole.cut) == ("json11", 1, False)
    feed = parse_feed(beginning + b" " * 5_000_000 + b"]}")
    assert (feed.version, feed.items, feed.cut) == ("", [], True)
    assert feed.problems == ["it is JSON of more than 4194304 characters, and was not read"]
