"""Writing, side by side: responses and requests into a .warc.gz, with digests, against warcio and FastWARC.

    python -m bench.formats.writing

The tools take turns, and the best of several rounds counts, in seconds of CPU. Megabytes are of what is
written before it is compressed: each tool has its own compression. warcio and ours make a digest of the block
and of the payload, as their users have it; FastWARC makes them where it is told to.
"""

import io
import time
import warnings
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

from armarium.formats.warc.cursor import Compression
from armarium.formats.warc.new_record import request, response
from armarium.formats.warc.writer import WarcWriter
from bench.formats.corpus import Capture, captures

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # FastWARC warns of its own old names
    from warcio.warcwriter import WARCWriter  # type: ignore[import-untyped]

CAPTURES = 2000
ROUNDS = 3


class Result(NamedTuple):
    tool: str
    seconds: float  # of CPU
    megabytes: float  # before compression
    ratio: float  # of compression

    @property
    def speed(self) -> float:
        return self.megabytes / self.seconds


def _ours(given: Sequence[Capture], compression: Compression) -> int:
    sink = io.BytesIO()
    writer = WarcWriter(sink, compression=compression)
    for capture in given:
        date = datetime.fromisoformat(capture.date)
        writer.write(response(capture.url, date, capture.response))
        writer.write(request(capture.url, date, capture.request))
    return sink.tell()


def ours(given: Sequence[Capture]) -> int:
    return _ours(given, Compression.GZIP)


def ours_zstd(given: Sequence[Capture]) -> int:
    return _ours(given, Compression.ZSTD)


def ours_plain(given: Sequence[Capture]) -> int:
    return _ours(given, Compression.NONE)


def warcio(given: Sequence[Capture]) -> int:
    sink = io.BytesIO()
    writer = WARCWriter(sink, gzip=True)
    for capture in given:
        for kind, block in (("response", capture.response), ("request", capture.request)):
            record = writer.create_warc_record(
                capture.url,
                kind,
                payload=io.BytesIO(block),
                length=len(block),
                warc_content_type=f"application/http; msgtype={kind}",
                warc_headers_dict={"WARC-Date": capture.date},
            )
            writer.write_record(record)
    return sink.tell()


TOOLS: dict[str, Callable[[Sequence[Capture]], int]] = {
    "armarium": ours,
    "armarium, zstd": ours_zstd,
    "armarium, plain": ours_plain,
    "warcio": warcio,
}


def results(count: int = CAPTURES, rounds: int = ROUNDS) -> list[Result]:
    given = list(captures(count))
    size = sum(len(one.request) + len(one.response) for one in given) / 1_000_000
    best: dict[str, tuple[float, int]] = {}
    for _ in range(rounds):
        for tool, write in TOOLS.items():
            begun = time.process_time()
            written = write(given)
            seconds = time.process_time() - begun
            best[tool] = min(best.get(tool, (seconds, written)), (seconds, written))
    return [
        Result(tool, seconds, size, size * 1_000_000 / written) for tool, (seconds, written) in best.items()
    ]


def table(found: Sequence[Result]) -> str:
    peer = next(one.speed for one in found if one.tool == "warcio")
    lines = [f"{'tool':<16} {'CPU s':>7} {'MB/CPU s':>9} {'× warcio':>9} {'compressed':>11}"]
    lines += [
        f"{one.tool:<16} {one.seconds:>7.2f} {one.speed:>9.1f} {one.speed / peer:>9.2f} {one.ratio:>9.2f}:1"
        for one in found
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    print(table(results()))  # noqa: T201
