"""`armarium crawl` as a process of its own."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
    return [*COMMAND, "crawl", "--out", str(folder), "--json", *options]


def crawl(folder: Path, *options: str, timeout: float = 100) -> Crawled:
    """Crawl to the end."""
    done = subprocess.run(arguments(folder, *options), capture_output=True, text=True, timeout=timeout)
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout, done.stderr
    return Crawled(folder, done.returncode, json.loads(done.stdout))
