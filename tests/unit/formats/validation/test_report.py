"""The outcome, for programs and for people; and files that are no archives at all."""

import io
import json
import random
import struct

import pytest

from armarium.formats.validation import Options, summary, table_rows, validate
from tests.unit.formats.validation.samples import codes, judged, record, warc, zipped


class Stream(io.RawIOBase):
    """A file that can only be read forwards, in small pieces."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def read(self, count: int = -1, /) -> bytes:
        return self._data.read(min(count, 1000) if count > 0 else count)

    def seekable(self) -> bool:
        return False


def test_warnings_make_a_file_invalid_only_when_asked() -> None:
    made = warc(record(IP_Address=None))
    assert judged(made).valid
    assert not judged(made, strict=True).valid


def test_the_report_for_programs_has_what_was_agreed() -> None:
    told = json.loads(json.dumps(judged(warc(record(Date="no date"))).to_json()))
    assert told["file"] == "made.warc"
    assert (told["format"], told["version"], told["records"], told["valid"]) == ("warc", "WARC/1.1", 2, False)
    assert told["types"] == {"warcinfo": 1, "response": 1}
    [problem] = told["problems"]
    assert set(problem) >= {"offset", "code", "message", "severity", "record", "clause", "hint"}
    assert (problem["code"], problem["severity"], problem["record"]) == ("warc-date-invalid", "error", 1)
    assert problem["clause"] == "ISO 28500:2017, 5.4"
    assert problem["jhove"] == "WARC-KB-107"


def test_findings_are_all_counted_but_kept_only_up_to_a_limit() -> None:
    made = warc(*(record(number=number, Date="no date") for number in range(1, 50)))
    report = judged(made, limit=10)
    assert report.counts["warc-date-invalid"] == 49
    assert len(report.problems) == 10
    assert report.omitted == {"warc-date-invalid": 39}
    assert len(judged(made, limit=None).problems) == 49


def test_people_see_the_gravest_first_and_how_many_more_there_are() -> None:
    made = warc(*(record(number=number, Date="no date", IP_Address=None) for number in range(1, 9)))
    rows = list(table_rows(judged(made), per_code=2))
    assert [row.severity for row in rows] == ["error"] * 3 + ["warning"] * 3
    assert rows[2].message == "and 6 more"
    assert summary(judged(made)).endswith("8 errors, 8 warnings)")


def test_hostile_values_are_shortened_and_printable() -> None:
    report = judged(warc(record(Target_URI="http://x/\x1b[31m" + "a" * 10_000)))
    assert all(problem.message.isprintable() and len(problem.message) < 400 for problem in report.problems)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"PK\x03\x04" + bytes(50), "zip"),
        (b"<!DOCTYPE html><title>x</title>", "HTML"),
        (struct.pack("<4sI4s", b"RIFF", 100, b"WAVE") + bytes(100), "WAVE"),
        (b"just some text\n" * 40, "text"),
        (b"WARCRAFT is no archive", "text"),
        (random.Random(1).randbytes(100_000), "no record"),
    ],
)
def test_a_file_that_is_no_archive_is_told_for_what_it_is(data: bytes, words: str) -> None:
    report = judged(data, name="x.warc")
    assert (report.format, report.valid, report.records) == ("unknown", False, 0)
    assert any(
        words in problem.message for problem in report.problems if problem.code == "warc-format-unknown"
    )


def test_an_empty_file_is_told() -> None:
    assert codes(b"") == {"warc-empty-file"}
    assert codes(b"", name="made.arc") == {"arc-empty-file"}


@pytest.mark.parametrize("made", [warc(record()), zipped(warc(), record())])
def test_a_stream_is_judged_like_a_file(made: bytes) -> None:
    report = validate(Stream(made), name="", options=Options())  # type: ignore[arg-type]
    assert report.valid
    assert (report.records, report.bytes) == (2, len(made))


@pytest.mark.parametrize(
    "made", [warc(record(), record(number=2)), zipped(warc(), record(), record(number=2))]
)
def test_a_file_cut_anywhere_is_judged_without_failing(made: bytes) -> None:
    for length in range(1, len(made)):
        report = judged(made[:length])
        assert isinstance(report.to_json(), dict)


@pytest.mark.parametrize("seed", range(40))
def test_a_file_with_flipped_bytes_is_judged_without_failing(seed: int) -> None:
    chance = random.Random(seed)
    data = bytearray(
        zipped(warc(), record(), record(number=2)) if seed % 2 else warc(record(), record(number=2))
    )
    for _ in range(1 + seed % 8):
        data[chance.randrange(len(data))] = chance.randrange(256)
    judged(bytes(data)).to_json()


def test_a_huge_header_does_not_eat_memory_or_time() -> None:
    flood = b"WARC/1.1\r\n" + b"X: y\r\n" * 500_000
    assert not judged(flood).valid
    assert not judged(b"WARC/1.1\r\nX: " + b"a" * 5_000_000).valid
