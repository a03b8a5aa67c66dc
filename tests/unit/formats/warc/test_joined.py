"""Files that were put together from differently compressed ones."""

import io

import pytest
import zstandard

from armarium.formats.problem import DamagedArchive
from armarium.formats.warc.reader import ArchiveReader
from tests.unit.formats.validation.samples import judged
from tests.unit.formats.warc.samples import all_codes, codes, member, read, record, stored_member

A, B, C = (record(uri=f"http://example.org/{letter}") for letter in "abc")


def frame(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(write_checksum=True).compress(data)


def plain(data: bytes) -> bytes:
    return data


@pytest.mark.parametrize("last", [plain, member, stored_member, frame])
@pytest.mark.parametrize("middle", [plain, member, frame])
@pytest.mark.parametrize("first", [plain, member, frame])
def test_all_records_of_joined_files_are_read_where_they_stand(first, middle, last) -> None:  # type: ignore[no-untyped-def]
    parts = [first(A), middle(B), last(C)]
    records, blocks, reader = read(b"".join(parts))
    assert [one.target_uri for one in records] == [f"http://example.org/{letter}" for letter in "abc"]
    assert len(set(blocks)) == 1
    offsets = [0, len(parts[0]), len(parts[0] + parts[1])]
    assert [(one.offset, one.length) for one in records] == list(zip(offsets, map(len, parts), strict=True))
    kinds = [member if each is stored_member else each for each in (first, middle, last)]
    changes = [
        offset
        for offset, before, after in zip(offsets[1:], kinds, kinds[1:], strict=False)
        if before is not after
    ]
    assert [one.offset for one in reader.problems] == changes
    assert all_codes(records, reader) <= {"archive-compression-changes"}


def test_many_records_behind_a_change_come_as_quickly_as_ever() -> None:
    records, _, reader = read(A + member(B) * 50 + member(b"") + A * 50 + member(C))
    assert len(records) == 102
    change = "archive-compression-changes"
    assert codes(reader.problems) == [change, "gzip-member-empty", change, change]


def test_a_joined_file_is_read_from_a_pipe() -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(min(size or 0, 5000) if size and size > 0 else size)

    reader = ArchiveReader(Pipe(A * 40 + member(B) * 40 + A + frame(C)))
    assert sum(1 for _ in reader) == 82


def test_compressed_bytes_without_record_are_no_change_of_coding() -> None:
    records, _, reader = read(A + member(b"no record") + B)
    assert len(records) == 2
    assert codes(reader.problems) == ["archive-garbage"]


def test_a_change_is_a_warning_of_its_own() -> None:
    report = judged(A + member(B + C))
    assert report.counts["warc-compression-changes"] == 1
    assert report.counts["gzip-not-per-record"] == 1
    assert not report.whole_file
    assert not judged(member(A) + B + C).whole_file


def test_strict_reading_stops_where_the_coding_changes() -> None:
    with pytest.raises(DamagedArchive, match="archive-compression-changes"):
        list(ArchiveReader(io.BytesIO(member(A) + B), strict=True))
