"""A disk that is really full: the crawl waits for room, and holds each capture once whatever happens then."""

import os
import random
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.acceptance.crawl.crawling import COMMAND
from tests.integration.harvest.crawl.harvesting import Harvest, soon
from tests.integration.harvest.crawl.website import Answer, links, page, website

DISK = 200_000_000  # bytes
LEFT = 20_000_000  # of it, when the crawl begins; less than the pages take
PROFILE = "[limits]\nmin_free_disk = 0\n[queues]\nparallel = 4\nparallel_server = 4\n"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, nearly all of it taken by one file."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(place)]
    if subprocess.run(command, capture_output=True).returncode:
        pytest.skip("A small file system can be mounted by root only.")
    try:
        with (place / "filler").open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, DISK - LEFT)
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.fixture(scope="module")
def pages() -> dict[str, Answer]:
    chance = random.Random(1)
    files = {f"/{number}": page(chance.randbytes(200_000), "image/png") for number in range(150)}
    files |= {f"/small/{number}": page(b"Page %d" % number) for number in range(100)}
    paths = list(files)
    chance.shuffle(paths)
    return {"/": links(*paths), **files}


@contextmanager
def crawling(disk: Path, address: str) -> Iterator["subprocess.Popen[bytes]"]:
    """A crawl that has come to the end of the disk."""
    (disk / "profile.toml").write_text(PROFILE)
    options = ("--profile", str(disk / "profile.toml"), "--delay", "0", "--robots", "ignore", "--quiet")
    command = [*COMMAND, "crawl", address, "--out", str(disk / "x"), *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        try:
            alerts = disk / "x" / "logs" / "alerts.log"
            assert soon(lambda: process.poll() is not None or "paused" in _text(alerts))
            assert process.poll() is None, process.stderr and process.stderr.read()
            assert "The disk is full" in _text(alerts)
            yield process
        finally:
            process.kill()


def test_it_goes_on_by_itself_when_there_is_room(disk: Path, pages: dict[str, Answer]) -> None:
    with website(pages) as site, crawling(disk, site.address) as process:
        (disk / "filler").unlink()
        assert process.wait(60) == 0
    assert_whole(disk / "x", len(pages))


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("others", [False, True], ids=["alone", "others take the reserve"])
def test_one_that_is_ended_while_it_waits_is_completed_later(
    disk: Path, pages: dict[str, Answer], how: signal.Signals, *, others: bool
) -> None:
    with website(pages) as site:
        with crawling(disk, site.address) as process:
            if others:
                fill(disk / "others")
            process.send_signal(how)
            _, told = process.communicate(timeout=60)
        assert b"tandard output" not in told
        assert not others or how is signal.SIGKILL or b"--resume" in told
        (disk / "filler").unlink()
        subprocess.run(
            [*COMMAND, "crawl", "--resume", "--out", str(disk / "x"), "-q"], check=True, timeout=60
        )
    assert_whole(disk / "x", len(pages))


def assert_whole(folder: Path, count: int) -> None:
    harvest = Harvest(folder)
    captured = Counter(capture.url for capture in harvest.captures if capture.kind == "response")
    assert len(captured) == count + 2, "each page, robots.txt for the sitemaps it may name, and the icon"
    assert set(captured.values()) == {1}
    assert Counter(line.url for line in harvest.log) == captured


def fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4096))


def _text(file: Path) -> str:
    return file.read_text() if file.exists() else ""
