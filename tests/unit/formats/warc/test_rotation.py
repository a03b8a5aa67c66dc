"""Names, sizes, sealing, and what is left after a crash."""

import io
from datetime import UTC, datetime
from pathlib import Path

import pytest

from armarium.formats.warc.detection import Compression
from armarium.formats.warc.folder import RotatingWriter, recover
from armarium.formats.warc.new_record import NewRecord, response, warcinfo
from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.rotation import JOB_TEMPLATE, SITE_TEMPLATE, Naming, is_full, safe, sealed_name

MOMENT = datetime(2026, 1, 2, 3, 4, 5, 678000, tzinfo=UTC)
HEAD = b"HTTP/1.1 200 OK\r\n\r\n"


def describe(name: str, moment: datetime) -> NewRecord:
    return warcinfo(moment, [("software", "test")], filename=name)


def writer(folder: Path, **options: int) -> RotatingWriter:
    naming = Naming(SITE_TEMPLATE, (("site", "BNF"), ("host", "crawler-1")))
    return RotatingWriter(folder, naming, lambda: MOMENT, describe=describe, **options)  # type: ignore[arg-type]


def capture(size: int = 100) -> NewRecord:
    return response("http://example.org/", MOMENT, HEAD + bytes(range(256)) * (size // 256 + 1))


def test_names_by_job_and_by_site() -> None:
    job = Naming(JOB_TEMPLATE, (("job", "12"), ("harvest", "3"), ("host", "crawler-1.example.org")))
    assert job.name(MOMENT, 7) == "12-3-20260102030405678-00007-crawler_1.example.org.warc.gz"
    site = Naming(SITE_TEMPLATE, (("site", "BNF"), ("host", "h")), Compression.NONE)
    assert site.name(MOMENT, 0) == "BNF-20260102030405678-00000-h.warc"


def test_a_missing_value_is_named() -> None:
    with pytest.raises(ValueError, match="needs a value for harvest, host"):
        Naming(JOB_TEMPLATE, (("job", "1"),)).name(MOMENT, 0)


@pytest.mark.parametrize("value", ["../../etc/passwd", "a/b", "..", "", "a\nb", "C:\\x"])
def test_no_value_leads_out_of_the_folder(value: str) -> None:
    assert not set(safe(value)) & set("/\\:\n")
    assert safe(value) not in ("", ".", "..")


def test_a_file_is_full_at_its_limit() -> None:
    assert [is_full(size, 100) for size in (99, 100, 101)] == [False, True, True]


def test_files_are_open_while_written_and_sealed_by_name(tmp_path: Path) -> None:
    rotating = writer(tmp_path)
    rotating.write(capture())
    assert [path.suffix for path in tmp_path.iterdir()] == [".open"]
    path = rotating.seal()
    assert path is not None
    assert list(tmp_path.iterdir()) == [path]
    with path.open("rb") as file:
        first, _ = ArchiveReader(file, strict=True)
    assert first.fields.get("WARC-Filename") == path.name == sealed_name(path.name)


def test_a_full_file_is_followed_by_the_next_serial_number(tmp_path: Path) -> None:
    rotating = writer(tmp_path, limit=1000)
    for _ in range(3):
        rotating.write(capture(5000), capture())
    rotating.seal()
    names = sorted(path.name for path in tmp_path.iterdir())
    assert [name.split("-")[2] for name in names] == ["00000", "00001", "00002"]
    for path in tmp_path.iterdir():
        with path.open("rb") as file:
            assert len(list(ArchiveReader(file, strict=True))) == 3


def test_two_writers_never_share_a_file(tmp_path: Path) -> None:
    writer(tmp_path).write(capture())
    with pytest.raises(FileExistsError):
        writer(tmp_path).write(capture())


def test_sealing_nothing_does_nothing(tmp_path: Path) -> None:
    assert writer(tmp_path).seal() is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("lost", [1, 5, 8, 9, 100])
def test_an_unfinished_file_is_cut_at_its_last_whole_record(tmp_path: Path, lost: int) -> None:
    rotating = writer(tmp_path)
    for _ in range(4):
        rotating.write(capture())
    rotating.flush()
    assert rotating.path is not None
    data = rotating.path.read_bytes()
    rotating.path.write_bytes(data[:-lost])
    (found,) = recover(tmp_path)
    assert found.path is not None
    assert found.recovery.records == 4
    kept = found.path.read_bytes()
    assert data.startswith(kept)
    assert len(list(ArchiveReader(io.BytesIO(kept), strict=True))) == 4


def test_an_unfinished_file_that_is_whole_is_only_sealed(tmp_path: Path) -> None:
    rotating = writer(tmp_path)
    rotating.write(capture())
    rotating.flush()
    (found,) = recover(tmp_path)
    assert (found.recovery.lost, found.recovery.records) == (0, 2)


def test_a_file_without_a_whole_record_is_removed(tmp_path: Path) -> None:
    (tmp_path / "a.warc.gz.open").write_bytes(b"\x1f\x8b\x08\x00")
    (found,) = recover(tmp_path)
    assert found.path is None
    assert list(tmp_path.iterdir()) == []
