"""`armarium crawl` and `armarium harvest …` as somebody meets them who has never used them."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.crawl.crawling import COMMAND
from tests.integration.harvest.crawl.harvesting import Harvest, soon
from tests.integration.harvest.crawl.terminal import armarium, said
from tests.integration.harvest.crawl.website import Website, links, page, website

PAGES = {
    "/": links(*(f"/{number}" for number in range(12))),
    **{f"/{number}": page(b"%d" % number) for number in range(12)},
}


@pytest.fixture
def site() -> Iterator[Website]:
    with website(PAGES) as site:
        yield site


# A crawl that goes well ------------------------------------------------------------------------------------


def test_a_crawl_ends_with_a_summary_for_people(site: Website, tmp_path: Path) -> None:
    done = armarium("crawl", site.address, "--out", tmp_path / "x", "--delay", "0")

    assert done.returncode == 0
    assert "Finished" in said(done)
    assert "Captured 15" in said(done), "13 pages, robots.txt and favicon.ico"
    assert sorted(path.name for path in (tmp_path / "x").iterdir()) == [
        "logs", "order.json", "reports", "state", "summary.json", "warcs",
    ]  # fmt: skip


def test_a_crawl_ends_with_a_summary_for_programs(site: Website, tmp_path: Path) -> None:
    done = armarium("crawl", site.address, "--out", tmp_path / "x", "--delay", "0", "--json")

    assert done.returncode == 0
    assert json.loads(done.stdout) == json.loads((tmp_path / "x" / "summary.json").read_text())
    assert done.stderr == ""


def test_a_quiet_crawl_says_nothing(site: Website, tmp_path: Path) -> None:
    done = armarium("crawl", site.address, "--out", tmp_path / "x", "--delay", "0", "--quiet")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_seeds_come_from_files_and_from_the_standard_input(site: Website, tmp_path: Path) -> None:
    (tmp_path / "seeds").write_text(f"\ufeff# ours\n\n{site.address}1\r\n  127.0.0.1:{site.port}/2  \n")
    seeds = ("--seeds", tmp_path / "seeds", "--seeds", "-")
    out = ("--out", tmp_path / "x", "--delay", "0", "--scope", "page", "--robots", "ignore")
    done = armarium("crawl", *seeds, *out, given=f"{site.address}3\n")

    assert done.returncode == 0
    assert {"/1", "/2", "/3"} == set(site.paths) - {"/robots.txt", "/favicon.ico"}


def test_options_are_stronger_than_the_profile(site: Website, tmp_path: Path) -> None:
    profile = tmp_path / "profile.toml"
    profile.write_text('robots = "ignore"\n[limits]\nmax_objects = 9\n[politeness]\nmin_delay = 30\n')
    options = ("--profile", profile, "--max-objects", "3", "--delay", "0")
    done = armarium("crawl", site.address, "--out", tmp_path / "x", *options, "--json")

    order = json.loads(done.stdout)["order"]
    assert (order["robots"], order["limits"]["max_objects"]) == ("ignore", 3)
    assert order["politeness"]["min_delay"] == 0


# A crawl that runs -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_crawl_ends_in_order_and_is_completed_by_resume(
    site: Website, tmp_path: Path, number: signal.Signals
) -> None:
    folder = tmp_path / "x"
    command = [*COMMAND, "crawl", site.address, "--out", str(folder), "--delay", "0.2", "--robots", "ignore"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert soon(lambda: len(site.asked) >= 4)
    os.kill(process.pid, number)
    out, error = process.communicate(timeout=60)

    assert process.returncode == 1
    assert f"armarium crawl --resume --out {folder}" in out + error
    assert not list((folder / "warcs").glob("*.open")), "its WARC file is finished"
    assert not list((folder / "warcs").glob("*-metadata-*")), "the crawl has not ended yet"

    done = armarium("crawl", "--resume", "--out", folder)
    assert done.returncode == 0
    assert sorted(site.paths) == sorted([*PAGES, "/robots.txt", "/favicon.ico"])
    assert sorted(Harvest(folder).statuses.values()) == [200] * 13 + [404] * 2


def test_a_running_crawl_is_seen_and_steered_from_another_terminal(site: Website, tmp_path: Path) -> None:
    folder = tmp_path / "x"
    command = [*COMMAND, "crawl", site.address, "--out", str(folder), "--delay", "3", "--quiet"]
    process = subprocess.Popen(command)
    try:
        assert soon(lambda: len(site.asked) >= 2)
        assert json.loads(armarium("harvest", "status", folder, "--json").stdout)["state"] == "running"
        assert "The crawl is paused." in said(armarium("harvest", "pause", folder))
        again = armarium("harvest", "pause", folder)
        assert again.returncode != 0
        assert "cannot be paused" in said(again)
        preview = armarium("harvest", "filter", folder, "/1[01]$", "--preview")
        assert "2 queued addresses would be taken out." in said(preview)
        assert "127.0.0.1" in said(armarium("harvest", "queues", folder))
        assert "1 queues have the new budget." in said(
            armarium("harvest", "budget", folder, "127.0.0.1", "--objects", "99")
        )
        assert armarium("harvest", "budget", folder, "127.0.0.1").returncode != 0
        assert "The crawl ends." in said(armarium("harvest", "terminate", folder))
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()

    gone = armarium("harvest", "status", folder)
    assert gone.returncode != 0
    assert f"No crawl is running in {folder}" in said(gone)


def test_why_tells_what_became_of_an_address(site: Website, tmp_path: Path) -> None:
    folder = tmp_path / "x"
    armarium("crawl", site.address, "--out", folder, "--delay", "0")
    taken = armarium("harvest", "why", f"{site.address}3", folder)
    outside = armarium("harvest", "why", "http://other.example/", folder)

    assert taken.returncode == 0
    assert "with status 200 after the first try" in said(taken)
    assert outside.returncode == 1
    assert "Nothing in this crawl led to it" in said(outside)


def test_a_finished_crawl_that_is_resumed_asks_for_nothing(site: Website, tmp_path: Path) -> None:
    folder = tmp_path / "x"
    armarium("crawl", site.address, "--out", folder, "--delay", "0")
    before = len(site.asked)
    done = armarium("crawl", "--resume", "--out", folder)

    assert len(site.asked) == before
    assert done.returncode == 0
    assert len(list((folder / "warcs").glob("*-metadata-*.warc.gz"))) == 1, "it is described once"


def test_help_names_every_option(tmp_path: Path) -> None:
    text = said(armarium("crawl", "--help"))

    for option in (
        "--out",
        "--seeds",
        "--scope",
        "--max-objects",
        "--delay",
        "--robots",
        "--resume",
        "--json",
    ):
        assert option in text
    assert sys.executable not in text
