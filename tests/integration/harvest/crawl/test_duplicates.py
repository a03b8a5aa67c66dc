"""What an earlier harvest has is not kept twice: revisits by digest, and 304 of the server."""

import json
import sys
from datetime import datetime
from pathlib import Path

import pytest

from armarium.formats.http import parse_response
from armarium.formats.warc.fields import parse_date
from tests import forked
from tests.acceptance.crawl.web import Web, _free_port, _testweb, _wait_for, serving_of
from tests.integration.harvest.crawl.harvesting import Capture, Harvest, harvested, ordered
from tests.integration.harvest.crawl.website import links, page, text, website

SIZE = ("--sites", "2", "--pages", "25", "--seed", "3", "--html-median", "3000")


def indexed(harvest: Harvest, file: Path) -> Path:
    """The CDXJ index of a harvest, as `armarium warc index` makes it."""
    command = [sys.executable, "-m", "armarium", "warc", "index", *map(str, harvest.warcs)]
    done = forked.run(command, capture_output=True, check=True)
    file.write_bytes(b"".join(sorted(done.stdout.splitlines(keepends=True))))
    return file


def enriched(index: Path, harvest: Harvest) -> Path:
    """With what conditional requests need: the validators of each capture, and its whole date."""
    known = by_url(harvest.captures)
    lines = []
    for line in index.read_text().splitlines():
        key, date, document = line.split(" ", 2)
        facts = json.loads(document)
        capture = known[facts["url"]]
        head = parse_response(capture.block)
        facts |= {"warc-date": capture.fields.get("warc-date")}
        facts |= {name: value for name in ("etag", "last-modified") if (value := head.fields.get(name))}
        lines.append(f"{key} {date} {json.dumps(facts)}\n")
    index.write_text("".join(lines))
    return index


def seconds(text: str | None) -> datetime | None:
    date = parse_date(text or "")
    return date.replace(microsecond=0) if date is not None else None


def by_url(captures: list[Capture]) -> dict[str, Capture]:
    return {capture.url: capture for capture in captures}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("epochs")


@pytest.fixture(scope="module")
def epochs(folder: Path) -> tuple[int, list[str]]:
    """The same web twice, a fifth of it changed; its port and its seeds."""
    port = _free_port()
    for epoch in ("0", "1"):
        where = ("--port", str(port), "--jobs", "1", "--epoch", epoch)
        _testweb("build", str(folder / epoch), *where, *SIZE)
    return port, Web(folder / "0", port, folder / "log").seeds


def crawled_epoch(folder: Path, port: int, epoch: str, order: object) -> Harvest:
    server = serving_of(folder / epoch)
    try:
        _wait_for(port)
        return harvested(folder / f"crawl-{epoch}-{id(order)}", order)  # type: ignore[arg-type]
    finally:
        server.terminate()
        server.wait()


@pytest.fixture(scope="module")
def first(folder: Path, epochs: tuple[int, list[str]]) -> tuple[Harvest, Path]:
    port, seeds = epochs
    harvest = crawled_epoch(folder, port, "0", ordered(*seeds, recording={"duplicates": "none"}))
    return harvest, indexed(harvest, folder / "first.cdxj")


def test_a_second_harvest_refers_to_the_first_for_all_that_did_not_change(
    folder: Path, epochs: tuple[int, list[str]], first: tuple[Harvest, Path]
) -> None:
    port, seeds = epochs
    recording = {"digest_index": [str(first[1])]}
    second = crawled_epoch(folder, port, "1", ordered(*seeds, recording=recording))

    earlier, later = by_url(first[0].captures), by_url(second.captures)
    good = {url for url, one in later.items() if one.block.startswith(b"HTTP/1.1 200")}
    revisits = {url for url, one in later.items() if one.kind == "revisit"}
    digests = {line.url: line.digest for line in first[0].log}
    assert len(revisits) > 20
    kept = [later[url] for url in good - revisits if url in earlier]
    assert kept, "a fifth of the articles differ"
    assert not [one.url for one in kept if same_body(earlier[one.url], one)], "kept twice"
    for url in revisits:
        fields = later[url].fields
        assert fields.get("warc-refers-to-target-uri") == url
        assert seconds(fields.get("warc-refers-to-date")) == seconds(earlier[url].fields.get("warc-date"))
        assert fields.get("warc-payload-digest") == digests[url]
        assert later[url].block.endswith(b"\r\n\r\n"), "only the head is kept"
    assert second.summary["counts"]["duplicate"] == len(revisits)
    assert {line.url for line in second.log if "duplicate:digest" in line.annotations} == revisits


def same_body(one: Capture, other: Capture) -> bool:
    return one.block.partition(b"\r\n\r\n")[2] == other.block.partition(b"\r\n\r\n")[2]


def test_conditional_requests_are_answered_with_304_and_recorded_as_not_modified(
    folder: Path, epochs: tuple[int, list[str]], first: tuple[Harvest, Path]
) -> None:
    port, seeds = epochs
    index = enriched(indexed(first[0], folder / "enriched.cdxj"), first[0])
    recording = {"digest_index": [str(index)], "conditional_requests": True}
    second = crawled_epoch(folder, port, "1", ordered(*seeds, recording=recording))

    not_modified = [line for line in second.log if line.status == 304]
    assert not_modified, "testweb answers If-None-Match"
    earlier = by_url(first[0].captures)
    for capture in second.captures:
        if not capture.block.startswith(b"HTTP/1.1 304"):
            continue
        assert capture.kind == "revisit"
        assert (capture.fields.get("warc-profile") or "").endswith("server-not-modified")
        expected = parse_date(earlier[capture.url].fields.get("warc-date") or "")
        assert parse_date(capture.fields.get("warc-refers-to-date") or "") == expected
    assert all("duplicate:server-not-modified" in line.annotations for line in not_modified)
    assert second.summary["counts"]["not_modified"] == len(not_modified)


def conditional(request: bytes) -> bytes:
    if b'If-None-Match: "1"' in request:
        return b'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n'
    return page(b'<a href="/new">', 'ETag: "1"')


@pytest.mark.xfail(
    strict=True,
    reason="`armarium warc index` writes neither etag nor last-modified, so an index of our own makes no "
    "request conditional.",
)
def test_an_index_of_our_own_makes_requests_conditional(tmp_path: Path) -> None:
    with website({"/": conditional}) as site:
        first = harvested(tmp_path / "first", ordered(site.address))
        index = indexed(first, tmp_path / "first.cdxj")
        recording = {"digest_index": [str(index)], "conditional_requests": True}
        again = harvested(tmp_path / "again", ordered(site.address, recording=recording))

    assert again.statuses[site.address] == 304


def test_a_page_that_was_not_modified_still_leads_on(tmp_path: Path) -> None:
    with website({"/": conditional, "/new": page(b"new")}) as site:
        first = harvested(tmp_path / "first", ordered(site.address))
        index = enriched(indexed(first, tmp_path / "first.cdxj"), first)
        recording = {"digest_index": [str(index)], "conditional_requests": True}
        again = harvested(tmp_path / "again", ordered(site.address, recording=recording))

    assert again.statuses[site.address] == 200, "a 304 would have no links"
    assert again.statuses.get(f"{site.address}new") is not None


@pytest.mark.parametrize(("kept", "revisits"), [("url", 0), ("digest", 1), ("none", 0)])
def test_the_same_file_at_two_addresses_is_kept_once_if_the_digest_alone_counts(
    tmp_path: Path, kept: str, revisits: int
) -> None:
    pages = {"/": links("/one", "/two"), "/one": text("same " * 100), "/two": text("same " * 100)}
    with website(pages) as site:
        harvest = harvested(tmp_path, ordered(site.address, recording={"duplicates": kept}))

    found = [capture for capture in harvest.captures if capture.kind == "revisit"]
    assert len(found) == revisits
    for capture in found:
        assert capture.fields.get("warc-refers-to-target-uri") in (f"{site.address}one", f"{site.address}two")
        assert capture.fields.get("warc-refers-to-target-uri") != capture.url
