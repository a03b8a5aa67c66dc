"""`armarium crawl` as a process of its own."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import forked

COMMAND = [sys.executable, "-m", "armarium"]


@dataclass(frozen=True)
class Crawled:
    """The folder that a crawl left."""

    folder: Path
    exit_code: int
    summary: dict[str, Any]

    @property
    def warcs(self) -> list[Path]:
        """The files with captures."""
        return sorted(
            path for path in (self.folder / "warcs").glob("*.warc.gz") if "-metadata-" not in path.name
        )

    @property
    def log(self) -> list[list[str]]:
        """The columns of crawl.log."""
        return [line.split() for line in (self.folder / "logs" / "crawl.log").read_text().splitlines()]


def arguments(folder: Path, *options: str) -> list[str]:
    return ["crawl", "--out", str(folder), "--json", *options]


def armarium(*arguments: str | Path, timeout: float = 100) -> subprocess.CompletedProcess[str]:
    """A command to its end."""
    command = [*COMMAND, *map(str, arguments)]
    return forked.run(command, cwd=forked.ROOT, capture_output=True, text=True, timeout=timeout)


def crawl(folder: Path, *options: str, timeout: float = 100) -> Crawled:
    """Crawl to the end."""
    done = armarium(*arguments(folder, *options), timeout=timeout)
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout, done.stderr
    return Crawled(folder, done.returncode, json.loads(done.stdout))
