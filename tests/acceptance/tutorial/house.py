"""The house of the tutorial: `armarium demo --by-hand`, as the reader starts it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PATIENCE = 900.0  # seconds: a house is built, on a machine that does much else
READY = "until you press Ctrl-C"


@dataclass(frozen=True)
class House:
    staff: str
    readers: str
    web: str
    port: int  # of the small web
    password: str


@contextmanager
def by_hand(folder: Path) -> Iterator[House]:
    environ = {**os.environ, "ARMARIUM_HOME": str(folder / "data"), "PYTHONUNBUFFERED": "1"}
    with (folder / "terminal").open("wb") as terminal:
        process = subprocess.Popen(
            [sys.executable, "-m", "armarium", "demo", "--by-hand", "--no-open"],
            stdout=terminal,
            stderr=terminal,
            env=environ,
        )
    try:
        _wait_until_ready(process, folder / "terminal")
        facts = json.loads((folder / "data-demo" / "demonstration.json").read_text())
        ports = facts["ports"]
        yield House(
            staff=f"http://localhost:{ports['staff']}",
            readers=f"http://localhost:{ports['readers']}",
            web=f"http://localhost:{ports['web']}",
            port=ports["web"],
            password=facts["password"],
        )
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)


def _wait_until_ready(process: "subprocess.Popen[bytes]", terminal: Path) -> None:
    until = time.monotonic() + PATIENCE
    while READY not in terminal.read_text(errors="replace"):
        assert process.poll() is None, terminal.read_text(errors="replace")
        assert time.monotonic() < until, terminal.read_text(errors="replace")
        time.sleep(0.2)
