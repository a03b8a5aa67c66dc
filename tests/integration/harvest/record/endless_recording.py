"""A process that records until it is killed, and commits now and then: run by the tests, in their folder.

Each commit is a line of `commits`: the positions as JSON, then the number of captures before it.
"""

import json
import os
import sys
from itertools import count
from pathlib import Path

from tests.unit.harvest.record.exchanges import exchange, message
from tests.unit.harvest.record.recording import LINKED, recorder


def main(folder: Path, first: int) -> None:
    writing = recorder(folder, max_file_bytes=200_000, duplicates="digest")
    with (folder / "commits").open("ab", buffering=0) as commits:
        for number in count(first):
            # Bodies that do not compress: what waits in buffers then reaches the disk at odd moments.
            body = b"page %d " % number + os.urandom(20_000)
            capture = exchange(folder, message(body), url=f"http://example.org/{number}")
            writing.record(capture, item_facts=LINKED)
            if number % 10 == 0:
                writing.flush()
                commits.write(json.dumps([writing.positions(), number]).encode() + b"\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
