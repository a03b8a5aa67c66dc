"""Sitemaps: the URLs that crawler-commons finds in its own samples and those of others."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from armarium.formats.sitemap import Role, SitemapKind, SitemapReader
from armarium.formats.url import normal

KINDS = {
    "XML": SitemapKind.URLSET,
    "INDEX": SitemapKind.INDEX,
    "TEXT": SitemapKind.TEXT,
    "RSS": SitemapKind.RSS,
}
KINDS["ATOM"] = SitemapKind.ATOM


def samples(corpora: Path) -> Iterator[tuple[str, bytes, dict[str, Any]]]:
    expected = json.loads((corpora / "EXPECTED.json").read_text(encoding="utf-8"))["files"]
    for path, answer in expected.items():
        told = answer.get("sitemaps", {}).get("crawler_commons")
        if told is not None:
            yield path, (corpora / path).read_bytes(), told


@pytest.mark.parametrize("size", [1, 1000, 1 << 20])
def test_every_sitemap_has_the_urls_that_crawler_commons_finds(corpora: Path, size: int) -> None:
    seen = 0
    for path, data, told in samples(corpora):
        if "urls" not in told:
            continue
        pieces = (data[at : at + size] for at in range(0, len(data), size))
        reader = SitemapReader(pieces, url=f"http://www.example.com/{Path(path).name}")
        entries = list(reader)
        assert [entry.url for entry in entries] == [normal(url) for url in told["urls"]], path
        assert len(entries) == told["count"]
        assert reader.kind is KINDS[told["type"]], path
        assert all((entry.role is Role.SITEMAP) == told["index"] for entry in entries), path
        seen += 1
    assert seen > 10


def test_what_is_no_sitemap_to_crawler_commons_gives_only_lines_that_are_urls(corpora: Path) -> None:
    for path, data, told in samples(corpora):
        if "error" in told:
            for entry in SitemapReader([data], url="http://www.example.com/"):
                # docs/reference/deviations.md: text among the URLs is passed over
                assert entry.written.encode() in data.splitlines(), path
