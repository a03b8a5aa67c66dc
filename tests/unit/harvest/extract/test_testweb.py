"""The whole of a synthetic web, followed from its seeds without a network, against its own truth."""

import csv
import json
from collections import deque
from pathlib import Path

import pytest

from armarium.core.crawl_order import Extraction
from armarium.formats.http import Entity, parse_response
from armarium.formats.url import InvalidUrl, resolve
from armarium.harvest.extract import extract
from bench.testweb.build import build
from bench.testweb.web import Parameters

LEVELS = {"html", "css", "srcset", "meta", "embed", "nofollow", "sitemap"}
# Endless by design, or one page for each word that is searched for: the truth names only some of them.
ENDLESS = ("/calendar", "/search?", "/loop", "/trap")


class Web:
    """The responses of a built web, by URL."""

    def __init__(self, folder: Path) -> None:
        self._index = json.loads((folder / "index.json").read_text())
        self._blob = (folder / "blob.bin").read_bytes()
        self.seeds = (folder / "seeds.txt").read_text().split()
        with (folder / "truth.tsv").open() as truth:
            self.levels = {row["url"]: row["level"] for row in csv.DictReader(truth, delimiter="\t")}

    def holds(self, url: str) -> bool:
        return url.removeprefix("http://").partition("/")[0] in self._index

    def response(self, url: str) -> bytes | None:
        host, _, path = url.removeprefix("http://").partition("/")
        entry = self._index.get(host, {}).get("/" + path)
        if entry is None:
            return None
        status, offset, _, length = entry[:4]
        return b"HTTP/1.1 %d X\r\n" % status + self._blob[offset : offset + length]


def _reached(web: Web) -> set[str]:
    todo = deque((seed, "") for seed in web.seeds)
    todo.extend((f"{seed}robots.txt", "P") for seed in web.seeds)
    seen = {url for url, _ in todo}
    while todo:
        url, hops = todo.popleft()
        if (data := web.response(url)) is None:
            continue
        head = parse_response(data)
        body = b"".join(Entity(head, [data[head.length :]]))
        found = extract(url, head, head.media_type or "", body, hops, Extraction())
        for link in found.links:
            try:
                address = resolve(found.base, link.reference, found.encoding).partition("#")[0]
            except InvalidUrl:
                continue
            if address not in seen and web.holds(address):
                seen.add(address)
                todo.append((address, hops + link.hop))
    return seen


@pytest.mark.parametrize("seed", [1, 2])
def test_every_address_of_a_synthetic_web_is_found_and_none_invented(tmp_path: Path, seed: int) -> None:
    build(tmp_path, Parameters(sites=3, seed=seed, trap=True, faults=True), jobs=1)
    web = Web(tmp_path)
    reached = _reached(web)
    missed = {url for url, level in web.levels.items() if level in LEVELS} - reached
    invented = {url for url in reached - web.levels.keys() if not any(mark in url for mark in ENDLESS)}
    decoys = {url for url in reached if web.levels.get(url) == "decoy"}
    assert (missed, invented, decoys) == (set(), set(), set())
