"""A disk that takes no more is no fault of the sites: what was not recorded is not done."""

import random
import resource
import signal
import subprocess
from pathlib import Path

from armarium.harvest.model import Status
from tests.acceptance.crawl.crawling import COMMAND
from tests.integration.harvest.crawl.harvesting import Harvest, soon
from tests.integration.harvest.crawl.website import links, page, website

SMALL = 1_000_000  # bytes that a file may have


def test_a_crawl_whose_disk_takes_no_more_pauses_and_is_completed_when_there_is_room(tmp_path: Path) -> None:
    chance = random.Random(1)
    pages = {f"/{number}": page(chance.randbytes(100_000)) for number in range(20)}
    folder = tmp_path / "x"
    with website({"/": links(*pages), **pages}) as site:
        options = ("--delay", "0", "--robots", "ignore", "--quiet")
        process = subprocess.Popen(
            [*COMMAND, "crawl", site.address, "--out", str(folder), *options],
            stderr=subprocess.PIPE,
        )
        # What a full disk is to a process: a write fails in the middle.
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (SMALL, SMALL))
        alerts = folder / "logs" / "alerts.log"
        noticed = soon(lambda: process.poll() is not None or "paused" in alerts_in(alerts))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        before = Harvest(folder).statuses
        subprocess.run([*COMMAND, "crawl", "--resume", "--out", str(folder), "-q"], check=True, timeout=60)

    assert noticed
    assert Status.RUNTIME_ERROR not in before.values(), "pages were given up for what the disk did"
    harvest = Harvest(folder)
    captured = {capture.url: capture.block for capture in harvest.captures if capture.kind == "response"}
    assert {path: captured.get(f"{site.address[:-1]}{path}") for path in pages} == pages


def alerts_in(file: Path) -> str:
    return file.read_text() if file.exists() else ""
