"""Indexes that come with their file are used only if they say what the file says."""

import hashlib
import io
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from armarium.core.storing import StoredFile
from armarium.formats.cdx.index import index
from armarium.formats.cdx.parsing import LONGEST_LINE
from armarium.formats.warc.reader import ArchiveReader
from armarium.index.chain.companions import ENOUGH, SPARE, BadCompanion, _chosen, use_companion
from armarium.index.runs import Run
from armarium.index.runs.folder import FolderPlace
from tests.unit.formats.warc.samples import member, record

NAME = "a.warc.gz"
LENGTH = re.compile(rb'"length": "\d+"')
PAGES = 30


def warc() -> bytes:
    """Answers with their requests between them."""
    records = [record(b"software: test\r\n", kind="warcinfo", content_type="application/warc-fields")]
    for number in range(PAGES):
        records.append(record(uri=f"http://example.org/{number}"))
        asked = b"GET / HTTP/1.1\r\n\r\n"
        kind = "application/http; msgtype=request"
        records.append(record(asked, kind="request", uri=f"http://example.org/{number}", content_type=kind))
    return b"".join(map(member, records))


DATA = warc()
LINES = sorted(line.to_cdxj() for line in index(ArchiveReader(io.BytesIO(DATA)), NAME))


def used(
    folder: Path, lines: list[bytes], data: bytes = DATA, sample: int = 1000, sent: str = ""
) -> list[bytes]:
    """The lines of the run that was made of a companion; `sent`: the digest that came with it."""
    companion = folder / f"{NAME}.cdxj"
    companion.write_bytes(b"".join(line + b"\n" for line in lines))
    when = datetime(2026, 1, 1, tzinfo=UTC)
    file = StoredFile(
        1, NAME, "data", len(data), hashlib.sha256(data).hexdigest(), when, companion_sha256=sent
    )
    use_companion(companion, file, io.BytesIO(data), sample, folder / "run")
    return list(Run(FolderPlace(folder), "run").scan())


@pytest.mark.parametrize("sample", [1, 5, 1000])
def test_a_true_one_is_used_as_it_is(tmp_path: Path, sample: int) -> None:
    assert used(tmp_path, LINES, sample=sample) == LINES


def test_a_file_without_captures_may_have_an_empty_one(tmp_path: Path) -> None:
    block = b"software: test\r\n"
    data = member(record(block, kind="warcinfo", content_type="application/warc-fields"))
    assert used(tmp_path, [], data) == []


def test_one_that_was_altered_since_it_was_sent_is_not_used(tmp_path: Path) -> None:
    """Though each line of it could be true, and few are compared."""
    sent = hashlib.sha256(b"".join(line + b"\n" for line in LINES)).hexdigest()
    assert used(tmp_path, LINES, sample=1, sent=sent) == LINES
    (tmp_path / "run").unlink()
    with pytest.raises(BadCompanion, match="altered"):
        used(tmp_path, LINES, sample=1, sent=sent[::-1])


def moved(line: bytes) -> bytes:
    parts = line.split(b'"offset": "')
    place, rest = parts[1].split(b'"', 1)
    return parts[0] + b'"offset": "' + str(int(place) + 1).encode() + b'"' + rest


def with_fields(line: bytes, fields: str) -> bytes:
    return line[:-1] + f", {fields}}}".encode()


LIES: dict[str, Callable[[], list[bytes]]] = {
    "a line is missing": lambda: LINES[:7] + LINES[8:],
    "the first line is missing": lambda: LINES[1:],
    "all are missing": list,
    "they are not sorted": lambda: [LINES[1], LINES[0], *LINES[2:]],
    "a line stands twice": lambda: [LINES[0], *LINES],
    "a line is of another file": lambda: [LINES[0].replace(b"a.warc.gz", b"b.warc.gz"), *LINES[1:]],
    "a line is not CDXJ": lambda: [LINES[0][:-1], *LINES[1:]],
    "a line has another digest": lambda: [LINES[0].replace(b"sha1:", b"sha1:A"), *LINES[1:]],
    "a line has another status": lambda: [LINES[0].replace(b'"200"', b'"404"'), *LINES[1:]],
    "a line leads to another place": lambda: [moved(LINES[0]), *LINES[1:]],
    "a line has the key of another address": lambda: sorted(
        [LINES[0].replace(b"org,example)/", b"example,bank)/"), *LINES[1:]]
    ),
    "a line names another file as its original": lambda: [
        with_fields(LINES[0], '"orig.filename": "b.warc.gz", "orig.offset": "0"'),
        *LINES[1:],
    ],
    "a line has a field that is no text": lambda: [with_fields(LINES[0], '"note": {}'), *LINES[1:]],
    "a line is of one byte": lambda: [LENGTH.sub(b'"length": "1"', LINES[0]), *LINES[1:]],
    "a line has no end": lambda: [*LINES, b"z" * (LONGEST_LINE + 1)],
    "there is more of it than of the file": lambda: [b"z" * (2 * SPARE)],
    "a line leads out of the file": lambda: sorted(
        [LINES[0].replace(b'"offset": "', b'"offset": "99999999'), *LINES[1:]]
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_one_that_lies_is_not_used(tmp_path: Path, lie: str) -> None:
    with pytest.raises(BadCompanion):
        used(tmp_path, LIES[lie]())


@pytest.mark.parametrize(
    ("lie", "told"),
    [
        ("a line has the key of another address", "not CDXJ as we write it"),
        ("a line names another file as its original", "not CDXJ as we write it"),
        ("a line has a field that is no text", "not CDXJ as we write it"),
        ("a line is of one byte", "no record"),
        ("a line has no end", "too long"),
        ("there is more of it than of the file", "for a file of"),
    ],
)
def test_what_is_wrong_in_itself_is_noticed_in_every_line(tmp_path: Path, lie: str, told: str) -> None:
    with pytest.raises(BadCompanion, match=told):
        used(tmp_path, LIES[lie]())


def test_which_lines_are_compared_cannot_be_foreseen_and_grows_with_their_number() -> None:
    assert len({tuple(_chosen(100_000, 20)) for _ in range(5)}) == 5
    assert ENOUGH <= len(_chosen(100_000, 20)) <= ENOUGH + 3
    assert len(_chosen(5000, 1)) >= 50
    assert _chosen(0, 20) == [-1]


def test_one_of_a_file_that_was_cut_is_not_used(tmp_path: Path) -> None:
    with pytest.raises(BadCompanion):
        used(tmp_path, LINES, DATA[: len(DATA) * 2 // 3])
