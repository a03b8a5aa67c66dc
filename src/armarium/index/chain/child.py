"""`python -m armarium.index.chain.child`: makes runs of the files that come in on standard input."""

import io
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO

from armarium.index.chain.children import LENGTH, make_run


class Pieces(io.RawIOBase):
    """One file, which comes in pieces that say how long they are."""

    def __init__(self, source: BinaryIO) -> None:
        super().__init__()
        self._source = source
        self._left = 0  # of the piece
        self._ended = False

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if not self._left and not self._ended:
            self._left = int.from_bytes(_exactly(self._source, LENGTH), "big")
            self._ended = not self._left
        length = self._left if size < 0 else min(size, self._left)
        self._left -= length
        return _exactly(self._source, length)

    def pass_rest(self) -> None:
        while not self._ended:
            self.read(1 << 20)


def _exactly(source: BinaryIO, length: int) -> bytes:
    data = source.read(length)
    if len(data) < length:
        raise EOFError
    return data


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Until the input ends."""
    while wanted := source.readline():
        asked = json.loads(wanted)
        file = Pieces(source)
        facts, problems = make_run(file, asked["name"], Path(asked["target"]))  # type: ignore[arg-type]
        file.pass_rest()
        sink.write(json.dumps({"facts": asdict(facts), "problems": problems}).encode() + b"\n")
        sink.flush()


if __name__ == "__main__":
    try:
        serve(sys.stdin.buffer, sys.stdout.buffer)
    except EOFError:
        sys.exit(1)  # whoever started us is gone
