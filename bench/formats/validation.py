"""Validation, side by side: `armarium warc validate` against `warcio check` and `fastwarc check -p`.

    python -m bench.formats.validation

Two files are judged, one with bodies of the usual size and one with bodies of a quarter of it: in the first
the digests weigh most, in the second what is done for each record.
Each tool does in this process what its command does, on the same file, whose records all have right digests
of block and payload. Times are of this process's CPU, the best of several rounds. The others compare digests;
ours judges every rule of the table besides. (No body is chunked: warcio takes the digest over the chunks and
would call every such record damaged.)
"""

import base64
import contextlib
import hashlib
import io
import tempfile
import time
import tracemalloc
import zlib
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from fastwarc.cli import _verify_digests
from warcio.checker import Checker

from armarium.formats.validation import validate
from bench.formats.corpus import LEVEL, Capture, captures

CAPTURES = 3000
SMALLER = 4  # times, the bodies of the second file: half of them have less than 4 KB
ROUNDS = 3


class Result(NamedTuple):
    tool: str
    seconds: float  # of CPU
    megabytes: float  # of the file, for each of them

    @property
    def speed(self) -> float:
        return self.megabytes / self.seconds


def members(count: int, smaller: int = 1) -> Iterator[bytes]:
    """Records with right digests, one gzip member each; the bodies are so many times smaller than usual."""
    yield zlib.compress(_warcinfo(), LEVEL, wbits=31)
    for capture in captures(count):
        for record in _records(_cut(capture, smaller)):
            yield zlib.compress(record, LEVEL, wbits=31)


def _cut(capture: Capture, smaller: int) -> Capture:
    head, _, body = capture.response.partition(b"\r\n\r\n")
    kept = body[: len(body) // smaller]
    head = head.replace(b"Content-Length: %d\r\n" % len(body), b"Content-Length: %d\r\n" % len(kept))
    return capture._replace(response=head + b"\r\n\r\n" + kept)


def _warcinfo() -> bytes:
    fields = {"WARC-Type": "warcinfo", "WARC-Record-ID": "<urn:uuid:00000000-0000-4000-8000-000000000000>"}
    dated = fields | {"WARC-Date": "2026-01-01T00:00:00Z"}
    return _record(dated, "application/warc-fields", b"software: bench\r\n")


def _records(capture: Capture) -> Iterator[bytes]:
    body = capture.response.partition(b"\r\n\r\n")[2]
    common = {"WARC-Date": capture.date, "WARC-Target-URI": capture.url, "WARC-IP-Address": "93.184.216.34"}
    request_id, response_id = (f"<urn:uuid:{uuid}>" for uuid in capture.ids)
    response = {"WARC-Type": "response", "WARC-Record-ID": response_id, "WARC-Payload-Digest": _sha1(body)}
    yield _record(response | common, "application/http; msgtype=response", capture.response)
    request = {"WARC-Type": "request", "WARC-Record-ID": request_id, "WARC-Concurrent-To": response_id}
    yield _record(request | common, "application/http; msgtype=request", capture.request)


def _record(fields: dict[str, str], content_type: str, block: bytes) -> bytes:
    written = fields | {
        "Content-Type": content_type,
        "WARC-Block-Digest": _sha1(block),
        "Content-Length": str(len(block)),
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in written.items())
    return b"WARC/1.1\r\n" + lines.encode() + b"\r\n" + block + b"\r\n\r\n"


def _sha1(data: bytes) -> str:
    return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()  # noqa: S324


# The tools ------------------------------------------------------------------------------------------------


def ours(path: Path) -> int:
    with path.open("rb") as file:
        report = validate(file, name="")
    assert report.valid, report.problems[:3]
    assert report.digests_checked == report.digests_matched
    return report.records


def warcio_check(path: Path) -> int:
    with contextlib.redirect_stdout(io.StringIO()):
        assert Checker(Namespace(inputs=[str(path)], verbose=False)).process_all() == 0
    return 0


def fastwarc_check(path: Path) -> int:
    verdicts = list(_verify_digests(str(path), True, "auto"))  # type: ignore[no-untyped-call]
    assert all(verdict["block_digest_ok"] for verdict in verdicts)
    return len(verdicts)


TOOLS: dict[str, Callable[[Path], int]] = {
    "armarium": ours,
    "fastwarc check -p": fastwarc_check,
    "warcio check": warcio_check,
}


def measured(tool: Callable[[Path], int], path: Path, rounds: int = ROUNDS) -> float:
    """Seconds of CPU, the best round."""
    best = float("inf")
    for _ in range(rounds):
        begun = time.process_time()
        tool(path)
        best = min(best, time.process_time() - begun)
    return best


def results(count: int = CAPTURES, smaller: int = 1) -> list[Result]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.warc.gz"
        path.write_bytes(b"".join(members(count, smaller)))
        megabytes = path.stat().st_size / 1_000_000
        return [Result(name, measured(tool, path), megabytes) for name, tool in TOOLS.items()]


def memory(count: int) -> float:
    """The most memory that a validation holds at once, in megabytes; it does not grow with the file."""
    data = io.BytesIO(b"".join(members(count)))
    tracemalloc.start()
    validate(data)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / 1_000_000


def table(found: Sequence[Result]) -> str:
    slowest = found[-1].speed
    lines = [f"{'tool':<20} {'CPU s':>8} {'MB/CPU s':>9} {'× warcio':>9}"]
    lines += [
        f"{one.tool:<20} {one.seconds:>8.2f} {one.speed:>9.1f} {one.speed / slowest:>9.1f}" for one in found
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    for times, bodies in ((1, "bodies of the usual size"), (SMALLER, "bodies of a quarter of it")):
        print(f"{bodies}\n{table(results(smaller=times))}")  # noqa: T201
    print(f"memory: {memory(200):.1f} MB for 200 captures, {memory(1000):.1f} MB for 1000")  # noqa: T201
