"""A crawl of testweb finds everything there is to find, and asks for nothing else."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from armarium.formats.warc.reader import ArchiveReader
from tests.acceptance.crawl.crawling import Crawled, armarium, crawl
from tests.acceptance.crawl.web import Web, missed, served

QUICK = """
[retries]
attempts = 2
delay = 0
[fetching]
silence_seconds = 2
[limits]
max_download_seconds = 4
"""


@pytest.fixture(scope="module")
def web(web_number: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    folder = tmp_path_factory.mktemp("testweb")
    options = (
        "--sites",
        "3",
        "--pages",
        "40",
        "--seed",
        web_number,
        "--trap",
        "--faults",
        "--html-median",
        "4000",
    )
    with served(folder, *options) as web:
        yield web


@pytest.fixture(scope="module")
def crawled(web: Web, tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    profile = tmp_path_factory.mktemp("profile") / "quick.toml"
    profile.write_text(QUICK)
    folder = tmp_path_factory.mktemp("crawl") / "out"
    return crawl(folder, *web.seeds, "--delay", "0", "--profile", str(profile))


def test_everything_in_scope_is_found(web: Web, crawled: Crawled) -> None:
    assert missed(web.score(*crawled.warcs)) == {}


def test_nothing_outside_is_asked_for(web: Web, crawled: Crawled) -> None:
    over = web.score()["over_fetch"]
    # The host of embedded files has a robots.txt that no page names; to obey it, it must be asked for.
    assert over.pop("invented", 0) <= 2
    assert not set(over) - {"trap", "fault"}


def test_bodies_and_statuses_are_right_and_nothing_is_fetched_twice(web: Web, crawled: Crawled) -> None:
    score = web.score(*crawled.warcs)
    assert (score["wrong_status"], score["repeated"]) == (0, 0)
    # Of one page the server sends half the head and no body: what came is kept, and marked as cut.
    assert score["wrong_body"] == 1
    (cut,) = (line for line in crawled.log if line[3].endswith("/faults/reset"))
    assert cut[11] == "disconnectTrunc,headerTrunc"


def test_the_trap_is_contained(web: Web, crawled: Crawled) -> None:
    # It takes sixty dates to tell a calendar without end from one with events.
    assert web.score()["over_fetch"].get("trap", 0) <= 64 * len(web.seeds)


def test_other_tools_find_no_fault(crawled: Crawled) -> None:
    checked = subprocess.run(
        [Path(sys.executable).parent / "warcio", "check", *crawled.warcs], capture_output=True
    )
    assert checked.returncode == 0, checked.stdout[:2000]


def test_our_own_validation_finds_no_fault(crawled: Crawled) -> None:
    warcs = (crawled.folder / "warcs").glob("*.warc.gz")
    checked = armarium("warc", "validate", *warcs)
    assert checked.returncode == 0, checked.stdout[:2000]


def test_the_index_made_of_the_log_is_that_of_the_files(crawled: Crawled) -> None:
    (metadata,) = (crawled.folder / "warcs").glob("*-metadata-*.warc.gz")
    with metadata.open("rb") as file:
        packed = [
            record.block.read()
            for record in ArchiveReader(file)
            if "/index/cdx?" in (record.target_uri or "")
        ]
    made = armarium("warc", "index", "--format", "cdx11", "--sort", *crawled.warcs)
    assert made.returncode == 0, made.stderr
    assert _comparable(b"".join(packed)) == _comparable(made.stdout.encode())


def _comparable(index: bytes) -> list[list[bytes]]:
    """Without where a redirect leads, which the log does not say, and what was cut in its head."""
    lines = [line.split(b" ") for line in index.splitlines() if b"/faults/" not in line]
    return [columns[:6] + columns[7:] for columns in lines]
