"""Made-up lines of an index, in any number and always the same."""

import random
from collections.abc import Iterable
from pathlib import Path

from armarium.index.runs import Run, RunFacts, RunWriter
from armarium.index.runs.folder import FolderPlace


def capture(
    key: str,
    timestamp: str,
    *,
    filename: str = "one.warc.gz",
    offset: int = 0,
    mime: str = "text/html",
    digest: str = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
    status: str = "200",
) -> bytes:
    return (
        f'{key} {timestamp} {{"url": "http://{key}", "mime": "{mime}", "status": "{status}", '
        f'"digest": "{digest}", "length": "1000", "offset": "{offset}", "filename": "{filename}"}}'
    ).encode()


def captures(count: int, seed: int = 1, *, pages: int = 500, files: int = 5) -> list[bytes]:
    """Sorted, each once; some pages have many captures, some moments have several."""
    chance = random.Random(seed)
    lines = {
        capture(
            f"com,site{chance.randrange(20)})/page/{chance.randrange(pages)}",
            f"2026{chance.randrange(1, 13):02}{chance.randrange(1, 29):02}120000",
            offset=chance.randrange(10**6),
            filename=f"job-{chance.randrange(files)}.warc.gz",
        )
        for _ in range(count)
    }
    return sorted(lines)


def write(path: Path, lines: Iterable[bytes]) -> RunFacts:
    with RunWriter(path) as writer:
        writer.add(lines)
        return writer.finish()


def run_of(folder: Path, name: str, lines: Iterable[bytes]) -> Run:
    write(folder / name, lines)
    return Run(FolderPlace(folder), name)
