"""Sitemaps of every kind, and broken ones."""

import gzip
import tracemalloc
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armarium.formats.sitemap import (
    MAX_BYTES,
    MAX_ENTRIES,
    Entry,
    Link,
    Place,
    Role,
    SitemapKind,
    SitemapReader,
)

HERE = "https://example.org/maps/sitemap.xml"


def read(
    document: str | bytes, max_entries: int = MAX_ENTRIES, max_bytes: int = MAX_BYTES
) -> tuple[SitemapReader, list[Entry]]:
    data = document.encode() if isinstance(document, str) else document
    reader = SitemapReader([data], url=HERE, max_entries=max_entries, max_bytes=max_bytes)
    return reader, list(reader)


def urls(document: str | bytes) -> list[str]:
    return [entry.url for entry in read(document)[1]]


def test_an_entry_has_its_date_frequency_and_priority() -> None:
    document = (
        "<urlset><url><loc> https://example.org/maps/a </loc><lastmod>2024-05-01</lastmod>"
        "<changefreq>Daily</changefreq><priority>0.8</priority></url></urlset>"
    )
    reader, [entry] = read(document)
    assert reader.kind is SitemapKind.URLSET
    assert entry == Entry(
        url="https://example.org/maps/a",
        role=Role.PAGE,
        written="https://example.org/maps/a",
        place=Place.BELOW,
        modified_text="2024-05-01",
        frequency="daily",
        priority=0.8,
    )
    assert entry.modified == datetime(2024, 5, 1, tzinfo=UTC)


def test_an_index_names_sitemaps() -> None:
    reader, [entry] = read(
        "<sitemapindex><sitemap><loc>https://example.org/b.xml</loc></sitemap></sitemapindex>"
    )
    assert reader.kind is SitemapKind.INDEX
    assert entry.role is Role.SITEMAP


def test_extensions_add_links_and_do_not_hide_the_page() -> None:
    document = (
        '<urlset xmlns:i="http://www.google.com/schemas/sitemap-image/1.1" '
        'xmlns:video="http://www.google.com/schemas/sitemap-video/1.1" xmlns:x="http://www.w3.org/1999/xhtml"><url>'
        "<i:image><i:loc>/i.png</i:loc></i:image><loc>https://example.org/p</loc>"
        "<video:video><video:content_loc>https://example.org/v.mp4</video:content_loc></video:video>"
        '<x:link rel="alternate" hreflang="de" href="https://example.org/de"/></url></urlset>'
    )
    [entry] = read(document)[1]
    assert entry.url == "https://example.org/p"
    assert entry.links == (
        Link("https://example.org/i.png", Role.IMAGE),
        Link("https://example.org/v.mp4", Role.VIDEO),
        Link("https://example.org/de", Role.ALTERNATE),
    )


@pytest.mark.parametrize(
    ("written", "place", "relative"),
    [
        ("https://example.org/maps/x", Place.BELOW, False),
        ("https://example.org/x", Place.HOST, False),
        ("http://example.org/maps/x", Place.FOREIGN, False),
        ("https://example.net/x", Place.FOREIGN, False),
        ("https://example.org.example.net/", Place.FOREIGN, False),
        ("page.html", Place.BELOW, True),
        ("/page.html", Place.HOST, True),
        ("https://[", Place.INVALID, False),
        ("mailto:a@example.org", Place.INVALID, True),
    ],
)
def test_each_url_is_told_where_it_stands(written: str, place: Place, relative: bool) -> None:
    [entry] = read(f"<urlset><url><loc>{written}</loc></url></urlset>")[1]
    assert (entry.place, entry.relative) == (place, relative)


@pytest.mark.parametrize(
    "document",
    [
        "<urlset><url><loc>https://example.org/?a=1&b=2</loc></url></urlset>",
        "<urlset><url><loc>https://example.org/?a=1&amp;b=2</loc>",
        "<urlset><url><loc><![CDATA[https://example.org/?a=1&b=2]]></loc></url>",
        "\n <s:urlset><s:url><s:loc>https://example.org/?a=1&amp;b=2</s:loc></s:url></s:urlset>",
        "\ufeff<URLSET><URL><LOC>https://example.org/?a=1&amp;b=2</LOC></URL></URLSET>",
        "<url><loc>https://example.org/?a=1&amp;b=2</loc></url>",
        "<urlset><url><loc>https://example.org/?a=1&amp;b=2</url><url></urlset>",
        "<rss><channel><link>/</link><item><link>https://example.org/?a=1&amp;b=2</link></item>",
        '<feed><entry><link rel="self" href="s"/><link href="/?a=1&amp;b=2"/></entry></feed>',
        "https://example.org/?a=1&b=2",
        "Some words.\r\n\r\nhttps://example.org/?a=1&b=2\r\n",
    ],
)
def test_the_url_is_found_whatever_the_form(document: str) -> None:
    assert urls(document) == ["https://example.org/?a=1&b=2"]
    assert urls(gzip.compress(document.encode())) == ["https://example.org/?a=1&b=2"]
    assert urls(document.encode("utf-16")) == ["https://example.org/?a=1&b=2"]


def test_a_sitemap_compressed_twice_and_cut_off_gives_what_it_has() -> None:
    document = "<urlset>" + "".join(f"<url><loc>https://example.org/{n}</loc></url>" for n in range(5000))
    once = gzip.compress(document.encode())
    assert len(urls(gzip.compress(once))) == 5000
    reader, found = read(once[: len(once) // 2])
    assert 100 < len(found) < 5000
    assert reader.problems


def test_other_bytes_under_a_declaration_of_utf_8_are_still_read() -> None:
    document = (
        '<?xml version="1.0" encoding="UTF-8"?><urlset><url><loc>https://example.org/été-à-paris</loc></url>'
    )
    assert urls(document.encode("windows-1252")) == ["https://example.org/%C3%A9t%C3%A9-%C3%A0-paris"]


def test_a_documents_own_entities_are_not_expanded() -> None:
    declarations = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    document = (
        f'<!DOCTYPE x [<!ENTITY e0 "aaaaaaaaaa">{declarations}]><urlset><url><loc>https://example.org/&e11;'
    )
    [entry] = read(document)[1]
    assert len(entry.url) < 100


def test_the_limits_are_kept_and_told() -> None:
    document = "<urlset>" + "<url><loc>https://example.org/</loc></url>" * 100
    reader, found = read(document, max_entries=10)
    assert (len(found), reader.cut) == (10, True)
    reader, found = read(document, max_bytes=500)
    assert (0 < len(found) < 100, reader.cut) == (True, True)
    assert not read(document, max_entries=100)[0].cut


def test_a_page_instead_of_a_sitemap_is_told() -> None:
    reader, found = read("<!DOCTYPE html><html><body><p>Not found</p></body></html>")
    assert (reader.kind, found) == (SitemapKind.HTML, [])


def test_a_long_sitemap_is_read_in_constant_memory() -> None:
    def pieces() -> Iterator[bytes]:
        yield b"<urlset>"
        for number in range(400):
            yield b"".join(b"<url><loc>https://example.org/%d</loc></url>" % number for _ in range(25))

    tracemalloc.start()
    count = sum(1 for _ in SitemapReader(pieces(), url=HERE))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 10_000
    assert peak < 3_000_000


@given(st.binary(max_size=500))
def test_any_bytes_may_be_a_sitemap(data: bytes) -> None:
    reader = SitemapReader([data[:100], data[100:]], url=HERE)
    for entry in reader:
        assert entry.written


@given(st.lists(st.from_regex(r"[a-z0-9/?=&%-]{1,20}", fullmatch=True), max_size=10), st.integers(1, 50))
def test_every_url_that_was_written_is_read(paths: list[str], size: int) -> None:
    body = "".join(
        f"<url><loc>https://example.org/{path.replace('&', '&amp;')}</loc></url>" for path in paths
    )
    data = f"<urlset>{body}</urlset>".encode()
    reader = SitemapReader((data[at : at + size] for at in range(0, len(data), size)), url=HERE)
    assert [entry.written for entry in reader] == [f"https://example.org/{path}" for path in paths]
