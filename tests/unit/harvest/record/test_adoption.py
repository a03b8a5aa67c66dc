"""After a kill, what is whole on disk is adopted, and nothing else."""

import shutil
from pathlib import Path

from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.records import Response
from armarium.harvest.record import (
    JOURNAL,
    CaptureFacts,
    Outlink,
    Recorder,
    adopt,
    journalled,
    seal_rest,
)
from tests.unit.harvest.record.exchanges import STARTED, chunked, exchange, message
from tests.unit.harvest.record.recording import LINKED, assert_indexed, recorder


def take(writing: Recorder, folder: Path, number: int) -> None:
    capture = exchange(folder, message(b"page %d" % number), url=f"http://example.org/{number}")
    writing.record(capture, item_facts=LINKED)


def killed(writing: Recorder, folder: Path) -> Path:
    """The folder as a kill leaves it: what reached the disk is there, and nobody holds it any more."""
    writing.flush()
    left = folder / "left"
    left.mkdir()
    for path in folder.glob("*.warc.gz*"):
        shutil.copy(path, left)
    return left


def responses(folder: Path) -> list[str]:
    """Addresses of the responses in the sealed files."""
    found = []
    for path in sorted(folder.glob("*.warc.gz")):
        with path.open("rb") as file:
            found += [one.target_uri or "" for one in ArchiveReader(file) if isinstance(one, Response)]
    return found


def test_captures_behind_the_committed_position_are_given_with_all_that_is_known(tmp_path: Path) -> None:
    writing = recorder(tmp_path)
    take(writing, tmp_path, 1)
    committed = writing.positions()
    capture = exchange(tmp_path, chunked(b"Hello"), url="http://example.org/2")
    recorded = writing.record(capture, item_facts=LINKED)
    (adopted,) = adopt(killed(writing, tmp_path), committed)
    assert adopted.url == "http://example.org/2"
    assert (adopted.status, adopted.size, adopted.mime) == (200, 5, "text/html")
    assert (adopted.date, adopted.milliseconds) == (STARTED, 12)
    assert (adopted.filename, adopted.offset) == (recorded.filename, recorded.offset)
    assert adopted.digest == recorded.payload_digest
    assert adopted.facts == LINKED._replace(outlinks=[Outlink(*link) for link in LINKED.outlinks])


def test_without_metadata_records_sealed_captures_are_adopted_and_half_ones_are_cut_off(
    tmp_path: Path,
) -> None:
    writing = recorder(tmp_path, metadata=False, max_file_bytes=1)
    take(writing, tmp_path, 1)
    committed = writing.positions()
    writing.committed()
    take(writing, tmp_path, 2)
    take(writing, tmp_path, 3)
    left = killed(writing, tmp_path)
    (unfinished,) = left.glob("*.open")
    with unfinished.open("rb") as file:
        request = list(ArchiveReader(file))[-1]
    with unfinished.open("r+b") as file:
        file.truncate(request.offset)
    journal = journalled(tmp_path / JOURNAL)

    (adopted,) = adopt(left, committed, journal=journal)
    assert adopted.url == "http://example.org/2"
    assert adopted.facts == LINKED._replace(outlinks=[Outlink(*link) for link in LINKED.outlinks])
    assert responses(left) == ["http://example.org/1", "http://example.org/2"]


def test_the_unfinished_file_is_sealed(tmp_path: Path) -> None:
    writing = recorder(tmp_path)
    take(writing, tmp_path, 1)
    left = killed(writing, tmp_path)
    assert [path.suffix for path in left.iterdir()] == [".open"]
    assert len(list(adopt(left, {}))) == 1
    assert sorted(path.suffix for path in left.iterdir()) == [".cdxj", ".gz"]
    assert_indexed(left)


def test_a_file_cut_anywhere_gives_exactly_its_whole_groups(tmp_path: Path) -> None:
    writing = recorder(tmp_path)
    ends = []
    for number in range(3):
        take(writing, tmp_path, number)
        ends.append(writing.positions())
    (left,) = killed(writing, tmp_path).iterdir()
    whole = left.read_bytes()
    sizes = [next(iter(end.values())) for end in ends]
    for cut in range(0, len(whole) + 1, 37):
        folder = tmp_path / str(cut)
        folder.mkdir()
        (folder / "a.warc.gz.open").write_bytes(whole[:cut])
        adopted = [capture.url for capture in adopt(folder, {})]
        assert responses(folder) == adopted, "what is not adopted is fetched again, and must not stand there"
        assert adopted == [f"http://example.org/{n}" for n in range(3) if sizes[n] <= cut], cut


def test_nothing_is_adopted_twice(tmp_path: Path) -> None:
    writing = recorder(tmp_path)
    take(writing, tmp_path, 1)
    left = killed(writing, tmp_path)
    assert len(list(adopt(left, {}))) == 1
    again = recorder(left)
    assert list(adopt(left, again.positions())) == []


def test_files_that_were_sealed_since_the_commit_are_read_too(tmp_path: Path) -> None:
    writing = recorder(tmp_path, max_file_bytes=1200)
    take(writing, tmp_path, 0)
    committed = writing.positions()
    for number in range(1, 5):
        take(writing, tmp_path, number)
    left = killed(writing, tmp_path)
    assert len(list(left.glob("*.warc.gz"))) >= 2
    found = sorted(capture.url for capture in adopt(left, committed))
    assert found == [f"http://example.org/{number}" for number in range(1, 5)]


def test_a_seed_and_a_revisit_are_known_as_such(tmp_path: Path) -> None:
    writing = recorder(tmp_path, duplicates="digest")
    facts = CaptureFacts(seed=True, source="tag of it")
    for number in range(2):
        capture = exchange(tmp_path, message(b"same"), url=f"http://example.org/{number}")
        writing.record(capture, item_facts=facts)
    first, second = adopt(killed(writing, tmp_path), {})
    assert (first.facts.seed, first.facts.source, first.facts.hops) == (True, "tag of it", "")
    assert (first.duplicate, second.duplicate) == (None, "digest")
    assert (first.size, second.size) == (4, 0)


def test_without_metadata_nothing_is_adopted_nor_left_behind_what_was_committed(tmp_path: Path) -> None:
    writing = recorder(tmp_path, metadata=False)
    take(writing, tmp_path, 1)
    committed = writing.positions()
    take(writing, tmp_path, 2)
    left = killed(writing, tmp_path)
    assert list(adopt(left, committed)) == []
    assert responses(left) == ["http://example.org/1"]


def test_of_several_processes_each_adopts_its_own(tmp_path: Path) -> None:
    writing = recorder(tmp_path)
    take(writing, tmp_path, 1)
    left = killed(writing, tmp_path)
    assert list(adopt(left, {}, part=2)) == []
    assert [path.suffix for path in left.iterdir()] == [".open"], "it may be another process's at this moment"
    assert len(list(adopt(left, {}, part=1))) == 1


def test_the_files_of_a_member_that_died_wait_for_it_while_the_crawl_can_be_resumed(tmp_path: Path) -> None:
    writing = recorder(tmp_path)  # of part 1
    take(writing, tmp_path, 1)
    take(writing, tmp_path, 2)
    left = killed(writing, tmp_path)
    (file,) = left.iterdir()
    file.write_bytes(file.read_bytes()[:-10])  # of the second group, the metadata record is not whole
    (left / "b.warc.gz.open").write_bytes(file.read_bytes()[:10])  # nobody's: it names no host
    seal_rest(left, 2, final=False)
    assert sorted(path.name for path in left.iterdir()) == [file.name, "b.warc.gz.damaged"]
    assert [capture.url for capture in adopt(left, {}, part=1)] == ["http://example.org/1"]
    assert responses(left) == ["http://example.org/1"], "the second is fetched again, and stands there once"


def test_at_the_final_end_all_files_are_sealed(tmp_path: Path) -> None:
    writing = recorder(tmp_path)
    take(writing, tmp_path, 1)
    left = killed(writing, tmp_path)
    seal_rest(left, 2, final=True)
    assert responses(left) == ["http://example.org/1"]
