"""What the small web serves is what it says it is, as readers that are not ours see it."""

import io
import re
import wave
import zlib

import pytest
from lxml import etree, html  # type: ignore[import-untyped]

from armarium.demo.web import SITES, Edition
from armarium.demo.web.answering import placed
from armarium.demo.web.building import LAYOUTS, answers, contrast
from armarium.demo.web.drawing import SCENES, picture
from armarium.demo.web.model import Answer, Colours
from armarium.formats.feed import parse_feed
from armarium.formats.robots import parse
from armarium.formats.sitemap import SitemapReader

COLOURS = Colours("#fdf6e3", "#2b2a33", "#d9822b", "#3f7d8c", "#e9dcc0")
ALL = [
    (f"{site.word}{path} ({edition.value})", answer)
    for site in SITES
    for edition in Edition
    if site.lives(edition)
    for path, answer in answers(site, edition).items()
]


def of_kind(beginning: str) -> list[tuple[str, Answer]]:
    return [
        (name, answer) for name, answer in ALL if answer.kind.startswith(beginning) and answer.status == 200
    ]


def test_pages_parse_without_complaint_and_say_their_language_and_charset() -> None:
    for name, answer in of_kind("text/html"):
        charset = answer.kind.partition("charset=")[2]
        text = answer.body.decode(charset)
        page = html.document_fromstring(text)
        assert page.get("lang"), name
        assert f'<meta charset="{charset}">' in text, name
        assert len(page.findall(".//h1")) == 1, name
        assert all(image.get("alt") for image in page.iter("img")), name
        assert not re.search(r"\*\*|\]\(|&lt;|\n[12]:|^%", text), name  # markup that was left over


def test_pictures_are_whole() -> None:
    for name, answer in of_kind("image/png"):
        width, height, rows = decoded(answer.body)
        assert len(rows) == height * (width + 1), name
        assert width * 400 == height * 640, name
    for _, answer in of_kind("image/svg+xml"):
        assert etree.fromstring(answer.body).tag == "{http://www.w3.org/2000/svg}svg"


def decoded(data: bytes) -> tuple[int, int, bytes]:
    """Width, height and unzipped lines of a PNG; every chunk's checksum is compared."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, width, height, zipped = 8, 0, 0, b""
    while at < len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        kind, content = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert zlib.crc32(kind + content) == int.from_bytes(data[at + 8 + length : at + 12 + length], "big")
        if kind == b"IHDR":
            width, height = int.from_bytes(content[:4], "big"), int.from_bytes(content[4:8], "big")
        zipped += content if kind == b"IDAT" else b""
        at += 12 + length
    return width, height, zlib.decompress(zipped)


@pytest.mark.parametrize("scene", SCENES)
def test_a_picture_is_always_the_same_and_each_another_one(scene: str) -> None:
    first = picture(f"{scene}-1.svg", "one", COLOURS)

    assert picture.__wrapped__(f"{scene}-1.svg", "one", COLOURS) == first
    assert picture(f"{scene}-2.svg", "one", COLOURS) != first


def test_papers_are_found_by_their_table() -> None:
    found = of_kind("application/pdf")
    assert len(found) > 5
    for name, answer in found:
        data = answer.body
        start = int(data.rpartition(b"startxref\n")[2].split()[0])
        lines = data[start:].split(b"\n")
        assert lines[0] == b"xref", name
        count = int(lines[1].split()[1])
        for number in range(1, count):
            place = int(lines[2 + number].split()[0])
            assert data[place:].startswith(b"%d 0 obj" % number), name
        for length, stream in re.findall(rb"/Length (\d+) >>\nstream\n(.*?)\nendstream", data, re.DOTALL):
            assert len(stream) == int(length), name


def test_sounds_can_be_played() -> None:
    for name, answer in of_kind("audio/wav"):
        with wave.open(io.BytesIO(answer.body)) as sound:
            assert 1 < sound.getnframes() / sound.getframerate() < 12, name


def test_feeds_name_their_articles() -> None:
    feeds = [
        (name, each) for name, each in ALL if each.kind in ("application/rss+xml", "application/atom+xml")
    ]
    assert len(feeds) > 10
    for name, answer in feeds:
        feed = parse_feed(placed(answer.body, 80), url="http://x.localhost/feed.xml")
        assert feed.version, name
        assert len(feed.items) >= 2, name
        assert all(item.title and item.links for item in feed.items), name


def test_robots_and_site_maps_are_understood() -> None:
    for site in SITES:
        found = answers(site, Edition.SECOND)
        robots = parse(found["/robots.txt"].body)
        assert robots.allowed("armarium", f"http://{site.name}/").allowed
        assert not any(
            robots.allowed("armarium", f"http://{site.name}{each}x").allowed for each in site.forbidden
        )
        if site.has_map:
            reader = SitemapReader(
                [placed(found["/sitemap.xml"].body, 80)], url=f"http://{site.name}/sitemap.xml"
            )
            assert len([*reader]) == sum(Edition.SECOND in page.editions for page in site.pages)
            assert reader.problems == []


def test_words_can_be_read_on_their_ground() -> None:
    for site in SITES:
        for look in site.looks.values():
            assert look.layout in LAYOUTS
            assert contrast(look.colours.ink, look.colours.paper) > 7, site.word


def test_there_are_pages_in_many_languages_and_two_charsets() -> None:
    assert {site.language for site in SITES} >= {"en", "fr", "de", "es", "ar"}
    assert {site.charset for site in SITES} == {"utf-8", "iso-8859-1"}
