"""The questions of bench.index.lookup, asked of pywb by its own Python, which has nothing of Armarium."""

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pywb.warcserver.index.indexsource import FileIndexSource  # type: ignore[import-not-found]
from pywb.warcserver.index.query import CDXQuery  # type: ignore[import-not-found]
from pywb.warcserver.index.zipnum import ZipNumIndexSource  # type: ignore[import-not-found]

FILES = ("all.cdxj", "cluster.idx", "cluster.cdx.gz")


def ask(source: Any, url: str, match: str) -> int:
    query = CDXQuery({"url": url, "matchType": match})
    start, end = query.key.decode(), query.end_key.decode()
    asked = {"url": url, "matchType": match, "key": query.key, "end_key": query.end_key, "limit": "1000"}
    return sum(start <= f"{line['urlkey']} {line['timestamp']}" < end for line in source.load_index(asked))


def times(source: Any, questions: list[list[str]], before: Callable[[], None] | None = None) -> list[float]:
    taken = []
    for url, match in questions:
        if before is not None:
            before()
        begin = time.perf_counter()
        ask(source, url, match)
        taken.append((time.perf_counter() - begin) * 1000)
    return taken


def main(folder: Path) -> None:
    questions = json.loads((folder / "questions.json").read_text())
    sources = {
        "CDXJ": FileIndexSource(str(folder / "all.cdxj")),
        "ZipNum": ZipNumIndexSource(str(folder / "cluster.idx"), {}),
    }

    def forget() -> None:
        for name in FILES:
            descriptor = os.open(folder / name, os.O_RDONLY)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(descriptor)

    answer: dict[str, dict[str, dict[str, list[float]]]] = {}
    for name, source in sources.items():
        answer[name] = {}
        for kind, asked in questions.items():
            cold = times(source, asked, forget)
            times(source, asked)
            answer[name][kind] = {"cold": cold, "warm": times(source, asked)}
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
