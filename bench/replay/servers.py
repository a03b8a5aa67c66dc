"""The two programs, each as people run it, on a port of the loopback."""

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

import psutil

from bench.replay.collection import Collection

PATIENCE = 120.0
COLLECTION = "bench"
PYWB = "pywb==2.10.0"
OURS_PORT, PYWB_PORT = 18_590, 18_591


@dataclass(frozen=True)
class Server:
    name: str
    process: psutil.Process
    raw: str  # the beginnings of addresses; a timestamp and an address follow
    shown: str
    cdx: str
    port: int

    def address(self, kind: str, timestamp: str, url: str) -> str:
        if kind == "cdx":
            return f"{self.cdx}{url}"
        mod = {"raw": "id_", "rewritten": "mp_"}[kind]
        return f"{self.raw if kind == 'raw' else self.shown}{timestamp}{mod}/{url}"

    def cpu(self) -> float:
        """Seconds of the process and all below it, since they began."""
        spent = 0.0
        for process in (self.process, *self.process.children(recursive=True)):
            times = process.cpu_times()
            spent += times.user + times.system
        return spent

    def memory(self) -> int:
        family = (self.process, *self.process.children(recursive=True))
        return sum(process.memory_info().rss for process in family)


@contextmanager
def ours(collection: Collection, folder: Path) -> Iterator[Server]:
    command = [sys.executable, "-m", "armarium", "replay", str(collection.pages), str(collection.long)]
    content = f"http://127.0.0.1:{OURS_PORT}/all/"
    reading = f"http://localhost:{OURS_PORT}/all/"
    with _running([*command, "--port", str(OURS_PORT)], folder, f"http://localhost:{OURS_PORT}/") as process:
        yield Server("armarium", process, content, content, f"{reading}cdx?url=", OURS_PORT)


@contextmanager
def pywb(collection: Collection, folder: Path, venv: Path) -> Iterator[Server]:
    with pywb_over([str(collection.pages), str(collection.long)], folder, venv) as server:
        yield server


@contextmanager
def pywb_over(files: Sequence[str], folder: Path, venv: Path) -> Iterator[Server]:
    place = folder / "pywb"
    place.mkdir()
    for arguments in (["init", COLLECTION], ["add", COLLECTION, *files]):
        manager = [str(venv / "bin" / "wb-manager"), *arguments]
        subprocess.run(manager, cwd=place, check=True, capture_output=True)  # noqa: S603
    base = f"http://127.0.0.1:{PYWB_PORT}/{COLLECTION}/"
    command = [str(venv / "bin" / "wayback"), "-p", str(PYWB_PORT), "-b", "127.0.0.1"]
    with _running(command, place, base) as process:
        yield Server("pywb", process, base, base, f"{base}cdx?url=", PYWB_PORT)


def install_pywb(folder: Path) -> Path | None:
    """pywb with what it needs, in an environment of its own; None where it cannot be had."""
    venv = folder / "venv"
    steps = ([sys.executable, "-m", "venv", str(venv)], [str(venv / "bin" / "pip"), "-q", "install", PYWB])
    for step in steps:
        if subprocess.run(step, check=False, capture_output=True).returncode:  # noqa: S603
            shutil.rmtree(venv, ignore_errors=True)
            return None
    return venv


@contextmanager
def _running(command: list[str], folder: Path, address: str) -> Iterator[psutil.Process]:
    with (folder / "output.txt").open("wb") as output:
        started = subprocess.Popen(command, cwd=folder, stdout=output, stderr=output)  # noqa: S603
    try:
        deadline = time.monotonic() + PATIENCE
        while not _answers(address):
            if started.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(
                    f"{command[0]} did not start:\n{(folder / 'output.txt').read_text()[-2000:]}"
                )
            time.sleep(0.2)
        yield psutil.Process(started.pid)
    finally:
        started.terminate()
        started.wait(20)


def _answers(address: str) -> bool:
    try:
        with urlopen(address, timeout=2) as answer:  # noqa: S310  (our own address)
            return bool(answer.status < 500)
    except OSError as error:
        return getattr(error, "code", 500) < 500
