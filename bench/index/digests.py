"""How fast an audit reads: our checksums beside `openssl dgst -sha256` and `b3sum`, on a file in memory."""

import os
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from armarium.storage.backends.transfer import digest_path

SIZE = 400_000_000
ROUNDS = 3


class Took(NamedTuple):
    wall: float
    cpu: float


def measure(say: Callable[[str], None]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        with path.open("wb") as file:
            block = os.urandom(1_000_000)
            for _ in range(SIZE // len(block)):
                file.write(block)
        say(f"checksums of {SIZE / 1e6:.0f} MB, load of the machine {os.getloadavg()[0]:.1f}")
        _pair(say, path, "sha256", ["openssl", "dgst", "-sha256"], 0.7)
        _pair(say, path, "blake3", ["b3sum", "--no-names"], 0.9)
        _pair(say, path, "blake3", ["b3sum", "--no-names", "--no-mmap"], 0.9)


def _pair(say: Callable[[str], None], path: Path, algorithm: str, command: list[str], target: float) -> None:
    own = _best(lambda: digest_path(path, (algorithm,)))
    say(f"  {algorithm:<30} {_speeds(own)}")
    if shutil.which(command[0]) is None:
        say(f"  {command[0]} is not here: install it to have the comparison.")
        return
    other = _best(lambda: subprocess.run([*command, str(path)], check=True, capture_output=True))  # noqa: S603
    say(f"  {' '.join(command):<30} {_speeds(other)}")
    by_clock, by_cpu = other.wall / own.wall, other.cpu / own.cpu
    say(f"  ratio {by_clock:.2f} by the clock, {by_cpu:.2f} by CPU (target {target})")


def _best(work: Callable[[], object]) -> Took:
    found = Took(float("inf"), float("inf"))
    for _ in range(ROUNDS):
        begun, used = time.monotonic(), _cpu()
        work()
        found = Took(min(found.wall, time.monotonic() - begun), min(found.cpu, _cpu() - used))
    return found


def _cpu() -> float:
    """Seconds of CPU of this process and of those that it has started and that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _speeds(took: Took) -> str:
    return f"{SIZE / took.wall / 1e6:7.0f} MB/s {SIZE / took.cpu / 1e6:7.0f} MB/CPU s"
