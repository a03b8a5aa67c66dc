"""Names, sizes, sealing, and what is left after a crash."""

import errno
import io
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from armarium.formats.warc.cursor import Compression
from armarium.formats.warc.folder import RotatingWriter, recover
from armarium.formats.warc.new_record import NewRecord, response, warcinfo
from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.writer import JOB_TEMPLATE, SITE_TEMPLATE, Naming, is_full, safe, sealed_name

MOMENT = datetime(2026, 1, 2, 3, 4, 5, 678000, tzinfo=UTC)
HEAD = b"HTTP/1.1 200 OK\r\n\r\n"


def describe(name: str, moment: datetime) -> NewRecord:
    return warcinfo(moment, [("software", "test")], filename=name)


def writer(folder: Path, **options: Any) -> RotatingWriter:
    naming = Naming(SITE_TEMPLATE, (("site", "BNF"), ("host", "crawler-1")))
    return RotatingWriter(folder, naming, lambda: MOMENT, describe=describe, **options)


def capture(size: int = 100) -> NewRecord:
    return response("http://example.org/", MOMENT, HEAD + bytes(range(256)) * (size // 256 + 1))


def killed(rotating: RotatingWriter) -> Path:
    """The file as the death of its writer leaves it."""
    rotating.flush()
    path = rotating.path
    assert path is not None
    rotating.abandon()
    return path


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


@pytest.mark.parametrize(
    "template", ["../{name}", "a/{name}", ".{name}", "-{name}", "{name} ", "", "{name}" * 9]
)
def test_a_template_gives_one_plain_file_name_or_none(template: str) -> None:
    assert Naming("{name}", (("name", "../_x"),)).name(MOMENT, 0) == "x.warc.gz"
    with pytest.raises(ValueError, match="no plain file name"):
        Naming(template, (("name", "n" * 30),)).name(MOMENT, 0)


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


def test_what_a_file_needs_beside_it_is_there_before_its_name(tmp_path: Path) -> None:
    seen = []

    def beside(path: Path) -> None:
        seen.append([path.name for path in tmp_path.iterdir()])
        path.with_name(f"{sealed_name(path.name)}.beside").write_bytes(path.read_bytes()[-20:])

    rotating = writer(tmp_path, sealing=beside)
    rotating.write(capture())
    path = rotating.seal()
    assert path is not None
    assert seen == [[f"{path.name}.open"]]
    assert path.with_name(f"{path.name}.beside").read_bytes() == path.read_bytes()[-20:]


def test_a_file_that_lacks_what_it_needs_stays_open_until_it_has_it(tmp_path: Path) -> None:
    full = True

    def beside(_: Path) -> None:
        if full:
            raise OSError(errno.ENOSPC, "No space left on device")

    rotating = writer(tmp_path, sealing=beside)
    rotating.write(capture())
    with pytest.raises(OSError, match="No space"):
        rotating.seal()
    assert [path.suffix for path in tmp_path.iterdir()] == [".open"]
    rotating.write(capture())
    full = False
    assert rotating.seal() is not None
    assert [path.suffix for path in tmp_path.iterdir()] == [".gz"]


def test_nothing_is_put_beside_a_file_that_has_the_name_already(tmp_path: Path) -> None:
    seen: list[Path] = []
    rotating = writer(tmp_path, sealing=seen.append)
    rotating.write(capture())
    assert rotating.path is not None
    (tmp_path / sealed_name(rotating.path.name)).write_bytes(b"another")
    with pytest.raises(FileExistsError):
        rotating.seal()
    assert seen == []


@pytest.mark.parametrize("lost", [1, 5, 8, 9, 100])
def test_an_unfinished_file_is_cut_at_its_last_whole_record(tmp_path: Path, lost: int) -> None:
    rotating = writer(tmp_path)
    for _ in range(4):
        rotating.write(capture())
    path = killed(rotating)
    data = path.read_bytes()
    path.write_bytes(data[:-lost])
    (found,) = recover(tmp_path)
    assert found.path is not None
    assert found.recovery.records == 4
    kept = found.path.read_bytes()
    assert data.startswith(kept)
    assert len(list(ArchiveReader(io.BytesIO(kept), strict=True))) == 4
    assert found.aside is not None
    assert found.aside.name == f"{found.path.name}.cut-{len(kept)}"
    assert kept + found.aside.read_bytes() == data[:-lost]


def test_an_unfinished_file_that_is_whole_is_only_sealed(tmp_path: Path) -> None:
    rotating = writer(tmp_path)
    rotating.write(capture())
    killed(rotating)
    (found,) = recover(tmp_path)
    assert (found.recovery.lost, found.recovery.records) == (0, 2)
    assert list(tmp_path.iterdir()) == [found.path]


def test_zeros_that_a_dead_machine_left_behind_are_cut_off_for_good(tmp_path: Path) -> None:
    rotating = writer(tmp_path)
    rotating.write(capture())
    path = killed(rotating)
    data = path.read_bytes()
    path.write_bytes(data + bytes(5000))
    (found,) = recover(tmp_path)
    assert found.path is not None
    assert found.path.read_bytes() == data
    assert list(tmp_path.iterdir()) == [found.path]


@pytest.mark.parametrize("content", [b"\x1f\x8b", bytes(100), b"no record"])
def test_a_file_without_a_whole_record_is_put_aside_and_not_removed(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "y.warc.gz.open").write_bytes(content)
    (found,) = recover(tmp_path)
    assert found.path is None
    assert found.aside == tmp_path / "y.warc.gz.damaged"
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == {found.aside: content}


def test_a_file_without_a_byte_is_removed(tmp_path: Path) -> None:
    (tmp_path / "a.warc.gz.open").touch()
    (found,) = recover(tmp_path)
    assert (found.path, found.aside) == (None, None)
    assert list(tmp_path.iterdir()) == []


def test_files_of_others_are_let_be(tmp_path: Path) -> None:
    notes = tmp_path / "notes.open"
    notes.write_text("Opening hours: 9 to 5.")
    assert recover(tmp_path) == []
    assert notes.read_text() == "Opening hours: 9 to 5."


def test_a_file_that_is_being_written_is_not_cut(tmp_path: Path) -> None:
    rotating = writer(tmp_path)
    rotating.write(capture())
    rotating.flush()
    path = rotating.path
    assert path is not None
    with path.open("ab") as half_a_record:
        half_a_record.write(b"\x1f\x8b\x08")
    size = path.stat().st_size
    (found,) = recover(tmp_path)
    assert (found.live, found.path) == (True, path)
    assert path.stat().st_size == size


def test_a_file_whose_first_record_fails_is_none(tmp_path: Path) -> None:
    def fail(_name: str, _moment: datetime) -> NewRecord:
        raise ValueError("no description")

    naming = Naming(SITE_TEMPLATE, (("site", "BNF"), ("host", "crawler-1")))
    rotating = RotatingWriter(tmp_path, naming, lambda: MOMENT, describe=fail)
    for _ in range(2):
        with pytest.raises(ValueError, match="no description"):
            rotating.write(capture())
    assert list(tmp_path.iterdir()) == []
