"""A record that could not be written leaves no half of itself behind, and nothing is written after one."""

import errno
import io
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from armarium.formats.warc.cursor import Compression
from armarium.formats.warc.new_record import NewRecord, response, warcinfo
from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.writer import WarcWriter

MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
HEAD = b"HTTP/1.1 200 OK\r\n\r\n"


class SmallDisk(io.BytesIO):
    """A file on a disk that takes only so much, and then as much of a piece as fits."""

    def __init__(self, room: int) -> None:
        super().__init__()
        self.room = room

    def write(self, data: bytes, /) -> int:  # type: ignore[override]
        fitting = self.room - self.tell()
        if len(data) > fitting:
            super().write(data[:fitting])
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(data)


class Pipe(SmallDisk):
    """A file that cannot go back."""

    def seek(self, offset: int, whence: int = 0, /) -> int:
        raise io.UnsupportedOperation("seek")


def capture(size: int) -> NewRecord:
    return response("http://example.org/", MOMENT, HEAD + b"x" * size)


def in_pieces(size: int, announced: int) -> NewRecord:
    pieces = iter([HEAD, b"x" * (size - len(HEAD))])
    return response(
        "http://example.org/",
        MOMENT,
        pieces,
        payload_digest="sha1:A",
        block_digest="sha1:B",
        block_length=announced,
    )


def read(data: bytes) -> list[str | None]:
    return [record.target_uri for record in ArchiveReader(io.BytesIO(data), strict=True)]


def test_what_did_not_fit_is_cut_off_and_writing_goes_on() -> None:
    disk = SmallDisk(3000)
    writer = WarcWriter(disk, compression=Compression.NONE)
    first = writer.write(capture(100))
    with pytest.raises(OSError, match="No space left"):
        writer.write(capture(5000))
    assert writer.offset == first.length == len(disk.getvalue())
    assert writer.write(capture(100)).offset == first.length
    assert len(read(disk.getvalue())) == 2


@pytest.mark.parametrize("announced", [499, 501])
def test_a_block_of_another_length_than_announced_leaves_nothing_behind(announced: int) -> None:
    file = io.BytesIO()
    writer = WarcWriter(file)
    writer.write(capture(100))
    with pytest.raises(ValueError, match="announced"):
        writer.write(in_pieces(500, announced))
    writer.write(capture(100))
    assert len(read(file.getvalue())) == 2


def test_a_file_that_cannot_be_cut_takes_no_further_record() -> None:
    pipe = Pipe(3000)
    writer = WarcWriter(pipe, compression=Compression.NONE)
    writer.write(capture(100))
    with pytest.raises(OSError, match="No space left"):
        writer.write(capture(5000))
    pipe.room = 1_000_000
    size = len(pipe.getvalue())
    for _ in range(2):
        with pytest.raises(OSError, match="half a record at byte"):
            writer.write(capture(100))
    assert len(pipe.getvalue()) == size


def test_a_failed_warcinfo_record_describes_nothing() -> None:
    disk = SmallDisk(10)
    writer = WarcWriter(disk)
    with pytest.raises(OSError, match="No space left"):
        writer.write(warcinfo(MOMENT, [("software", "test")]))
    assert writer.warcinfo_id is None


ON_A_FULL_DISK = """
import resource, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from armarium.formats.warc.folder import RotatingWriter
from armarium.formats.warc.new_record import response, warcinfo
from armarium.formats.warc.writer import Naming

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, resource.RLIM_INFINITY))
moment = datetime(2026, 1, 2, tzinfo=UTC)
noise = open("/dev/urandom", "rb").read(700_000)
rotating = RotatingWriter(
    Path(sys.argv[1]), Naming("a"), lambda: moment, describe=lambda name, at: warcinfo(at, [("a", "b")])
)
written = failed = 0
for number in range(8):
    try:
        rotating.write(response(f"http://example.org/{number}", moment, noise, "image/png"))
        written += 1
    except OSError:
        failed += 1
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
rotating.write(response("http://example.org/last", moment, noise, "image/png"))
rotating.seal()
print(written, failed)
"""


def test_a_full_disk_costs_only_the_records_that_were_refused(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ON_A_FULL_DISK, tmp_path], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    written, failed = map(int, done.stdout.split())
    assert failed > 0
    (path,) = tmp_path.iterdir()
    addresses = read(path.read_bytes())
    assert len(addresses) == 1 + written + 1
    assert addresses[-1] == "http://example.org/last"
