"""Files from outside come into the archive, or it is said why they do not; none is ever changed."""

import gzip
import os
from pathlib import Path

import pytest
import zstandard

from armarium.core.actor import SYSTEM
from armarium.core.errors import Refused
from armarium.storage.files.catalogue import Catalogue
from armarium.storage.files.model import FileFilter
from armarium.storage.intake import queries
from armarium.storage.intake.model import Line, Outcome, Report
from armarium.storage.intake.naming import Rules
from armarium.storage.model import FileKind, FileState, Origin
from tests.integration.storage.outside import Outside, warc, warcinfo


def outcomes(report: Report) -> dict[str, int]:
    return {outcome.value: count for outcome, count in report.counts.items() if count}


def lines(world: Outside, report: Report) -> dict[str, Line]:
    assert report.accession is not None
    found, _ = world.intake.lines(report.accession.id, limit=1000)
    return {Path(line.path).name: line for line in found}


def test_a_folder_is_walked_and_its_files_are_stored_and_stay_where_they_are(world: Outside) -> None:
    first = world.put("a.warc.gz", warc(b"one", software="x/1", isPartOf="spring"))
    world.put("below/deep/42-117-20051212141240-00000-host.example.warc.gz", warc(b"two"))
    world.put("42-metadata-1.warc.gz", warc(b"three"))
    before = {path: path.read_bytes() for path in world.outside.rglob("*") if path.is_file()}

    report = world.intake.take(SYSTEM, [world.outside], accession_name="Attic", note="From a disk")

    assert outcomes(report) == {"taken": 3}
    assert report.complete
    assert {path: path.read_bytes() for path in before} == before
    assert report.accession is not None
    found, _ = Catalogue(world.database).page(FileFilter(accession=report.accession.id), limit=10)
    assert {file.state for file in found} == {FileState.STORED}
    assert {file.origin for file in found} == {Origin.IMPORT}
    assert {file.name: file.kind for file in found}["42-metadata-1.warc.gz"] is FileKind.METADATA
    jobs = {file.name: world.files.details(file.id).original_job for file in found}
    assert jobs[first.name] == "spring"
    assert jobs["42-117-20051212141240-00000-host.example.warc.gz"] == "42-117"
    assert world.sum_on_disk("a", "a.warc.gz") == world.sum_on_disk("sums", "a.warc.gz") != ""
    assert len(world.successor.told) == 3


def test_the_same_again_is_known_and_not_read_again(world: Outside) -> None:
    path = world.put("a.warc.gz", warc())
    world.intake.take(SYSTEM, [world.outside], accession_name="Attic")

    again = world.intake.take(SYSTEM, [world.outside], accession_name="Attic")
    other = world.intake.take(SYSTEM, [path], accession_name="Cellar")

    assert outcomes(again) == outcomes(other) == {"known": 1}
    assert [name for _, name in world.successor.told] == ["a.warc.gz"]
    assert lines(world, again)["a.warc.gz"].outcome is Outcome.TAKEN  # what became of it does not change


def test_a_file_that_was_changed_since_is_read_again(world: Outside) -> None:
    world.put("a.warc.gz", warc(b"one"))
    world.intake.take(SYSTEM, [world.outside], accession_name="Attic")
    world.put("a.warc.gz", warc(b"two"))

    report = world.intake.take(SYSTEM, [world.outside], accession_name="Attic")

    assert outcomes(report) == {"refused": 1}


def test_other_content_under_a_name_that_is_taken_is_refused_and_nothing_is_lost(world: Outside) -> None:
    first, second = world.put("one/a.warc.gz", warc(b"one")), world.put("two/a.warc.gz", warc(b"two"))

    report = world.intake.take(SYSTEM, [first.parent, second.parent], most_threads=1)

    assert outcomes(report) == {"taken": 1, "refused": 1}
    assert not report.complete
    [trouble] = report.troubles
    assert trouble.path == str(second)
    assert "There is another file named a.warc.gz" in trouble.remark
    assert second.read_bytes() == warc(b"two")
    with world.reader.open("a.warc.gz") as file:
        assert file.read() == warc(b"one")


def test_the_same_file_in_two_folders_is_one_file(world: Outside) -> None:
    world.put("one/a.warc.gz", warc())
    world.put("two/a.warc.gz", warc())

    report = world.intake.take(SYSTEM, [world.outside], most_threads=4)

    assert outcomes(report) == {"taken": 1, "known": 1}


def test_what_is_no_archive_file_is_told_by_its_content(world: Outside) -> None:
    world.put("photo.warc.gz", b"\xff\xd8\xff\xe0 not at all")
    world.put("README", b"Read me.")
    world.put("empty.warc", b"")
    world.put("odd name, no suffix", warc())
    world.put("crawl.warc.gz.open", warc())

    report = world.intake.take(SYSTEM, [world.outside])

    found = {name: line.outcome for name, line in lines(world, report).items()}
    assert found == {
        "photo.warc.gz": Outcome.FOREIGN,
        "README": Outcome.FOREIGN,
        "empty.warc": Outcome.FOREIGN,
        "odd name, no suffix": Outcome.TAKEN,
        "crawl.warc.gz.open": Outcome.REFUSED,
    }
    assert "other name" in lines(world, report)["odd name, no suffix"].remark
    assert lines(world, report)["odd name, no suffix"].name.startswith("odd_name_no_suffix-")


def test_whatever_is_not_taken_is_named_and_nothing_is_complete_then(world: Outside) -> None:
    world.put("a.warc.gz", warc())
    world.put("a.cdxj", b"an index that goes with its file")
    for name in ("README", "notes.zip", "lone.cdx", "nothing"):
        world.put(name, b"" if name == "nothing" else b"Not an archive file.")

    report = world.intake.take(SYSTEM, [world.outside])
    again = world.intake.take(SYSTEM, [world.outside], rules=Rules(passed_over=("README", "no*", "lone.*")))

    named = {Path(line.path).name for line in report.troubles}
    assert named == {"README", "notes.zip", "lone.cdx", "nothing"}
    assert not report.complete
    assert outcomes(again) == {"known": 1, "passed": 5}
    assert again.complete


def test_names_that_are_taken_are_got_past_by_a_rule_which_is_written_down(world: Outside) -> None:
    world.put("one/a.warc.gz", warc(b"one"))
    second, third = world.put("two/a.warc.gz", warc(b"two")), world.put("two/b-1.warc.gz", warc(b"three"))
    world.intake.take(SYSTEM, [world.outside / "one"])
    rules = Rules(prefix="attic-", renames=[(r"^b-(\d)", r"c-0\1")])

    report = world.intake.take(SYSTEM, [world.outside], accession_name="Attic", rules=rules, most_threads=1)

    found = {line.path: line for line in world.intake.lines(2, limit=10)[0]}
    assert outcomes(report) == {"taken": 2, "known": 1}  # the one that has its name keeps it
    assert found[str(second)].name == "attic-a.warc.gz"
    assert found[str(third)].name == "attic-c-01.warc.gz"
    assert "it was “b-1.warc.gz”" in found[str(third)].remark
    with world.reader.open("attic-a.warc.gz") as file:
        assert file.read() == warc(b"two")
    assert "it was “b-1.warc.gz”" in str(world.events("registered")[-1]["remark"])


def test_a_damaged_file_is_taken_as_damaged_if_somebody_wants_it(world: Outside) -> None:
    world.put("rotten.warc.gz", b"\x1f\x8b and then nothing of use")
    world.put("died.warc.gz.open", warc(b"as far as it came"))
    world.put("empty.warc.gz", b"")
    world.put("README", b"Read me.")

    without = world.intake.take(SYSTEM, [world.outside])
    report = world.intake.take(SYSTEM, [world.outside], rules=Rules(damaged=True))

    assert outcomes(without) == {"foreign": 3, "refused": 1}
    assert outcomes(report) == {"taken": 2, "foreign": 2}
    found = lines(world, report)
    assert (found["died.warc.gz.open"].name, found["empty.warc.gz"].outcome) == (
        "died.warc.gz",
        Outcome.FOREIGN,
    )
    assert "Taken as damaged" in found["rotten.warc.gz"].remark
    with world.reader.open("rotten.warc.gz") as file:
        assert file.read().startswith(b"\x1f\x8b and")


def test_a_file_that_somebody_names_is_never_passed_over_in_silence(world: Outside) -> None:
    report = world.intake.take(SYSTEM, [world.put("README", b"Read me.")])

    assert outcomes(report) == {"foreign": 1}


def test_damage_is_reported_and_the_file_is_kept(world: Outside) -> None:
    world.put("cut.warc", b"".join([warc_plain(), warc_plain()[:-40]]))

    report = world.intake.take(SYSTEM, [world.outside])

    assert outcomes(report) == {"taken": 1}
    assert report.remarks[0].remark


@pytest.mark.parametrize("version", ["WARC/0.18", "WARC/1.0", "WARC/1.1"])
def test_every_version_and_packing_is_taken(world: Outside, version: str) -> None:
    plain = warcinfo(software="x/1").replace(b"WARC/1.1", version.encode(), 1)
    world.put("plain.warc", plain)
    world.put("gzip.warc.gz", gzip.compress(plain))
    world.put("zstd.warc.zst", zstandard.ZstdCompressor().compress(plain))

    assert outcomes(world.intake.take(SYSTEM, [world.outside])) == {"taken": 3}


def warc_plain() -> bytes:
    head = b"WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: 40\r\n\r\n"
    return head + b"x" * 40 + b"\r\n\r\n"


def test_what_cannot_be_read_is_a_line_and_no_end(world: Outside) -> None:
    world.put("a.warc.gz", warc())
    (world.outside / "gone.warc.gz").symlink_to(world.outside / "nowhere")
    os.mkfifo(world.outside / "pipe.warc.gz")
    (world.outside / "loop").symlink_to(world.outside)
    os.close(os.open(os.fsencode(world.outside) + b"/\xff.warc.gz", os.O_CREAT | os.O_WRONLY))

    report = world.intake.take(SYSTEM, [world.outside])

    assert outcomes(report) == {"taken": 1, "unreadable": 2, "refused": 1}
    remarks = {Path(line.path).name: line.remark for line in report.troubles}
    assert "neither a file nor a folder" in remarks["pipe.warc.gz"]


def test_a_path_that_is_not_there_stops_before_anything_is_taken(world: Outside) -> None:
    with pytest.raises(Refused, match="Nothing was imported"):
        world.intake.take(SYSTEM, [world.put("a.warc.gz", warc()), world.outside / "missing"])
    assert Catalogue(world.database).figures().files == 0


def test_files_of_collectors_cannot_be_imported(world: Outside) -> None:
    (world.arrivals / "a.warc.gz").write_bytes(warc())

    with pytest.raises(Refused, match="belongs to the archive itself"):
        world.intake.take(SYSTEM, [world.arrivals])
    with pytest.raises(Refused, match="contains a folder that does"):
        world.intake.take(SYSTEM, [world.home])


def test_links_into_the_folder_of_arrivals_are_refused_and_nothing_there_is_deleted(world: Outside) -> None:
    arrived = world.arrivals / "a.warc.gz"
    arrived.write_bytes(warc())
    (world.outside / "link").symlink_to(world.arrivals)
    (world.outside / "b.warc.gz").symlink_to(arrived)
    world.put("c.warc.gz", warc(b"mine"))

    report = world.intake.take(SYSTEM, [world.outside], accession_name="Attic")

    assert outcomes(report) == {"taken": 1, "refused": 2}
    world.take_over(world.files.named("c.warc.gz"))
    world.files.clean()
    assert arrived.is_file()


def test_what_was_imported_is_never_deleted_even_among_the_arrivals(world: Outside) -> None:
    sealed = world.seal("a.warc.gz", warc())
    with world.database.transaction() as connection:
        file = world.files.register(connection, sealed, origin=Origin.IMPORT)
    world.files.store(file.id)
    world.take_over(file)

    assert world.files.clean() == 0
    assert sealed.path.is_file()


def test_a_file_that_changes_while_it_is_taken_is_told_as_such(world: Outside) -> None:
    path = world.put("a.warc.gz", warc(b"one"))
    world.replicas.hook = lambda _replica, step: (
        path.write_bytes(warc(b"2")) if step == "before put" else None
    )  # type: ignore[assignment]

    report = world.intake.take(SYSTEM, [world.outside], accession_name="Attic")

    assert outcomes(report) == {"unreadable": 1}
    assert not report.complete


def test_while_a_replica_is_away_files_are_registered_and_go_on_by_themselves(world: Outside) -> None:
    world.put("a.warc.gz", warc())
    world.unmount("b")

    report = world.intake.take(SYSTEM, [world.outside], accession_name="Attic")

    assert outcomes(report) == {"waiting": 1}
    world.mount("b")
    file = world.files.named("a.warc.gz")
    world.files.store(file.id)
    with world.database.transaction() as connection:
        assert queries.settle(connection) == 1
    assert lines(world, report)["a.warc.gz"].outcome is Outcome.TAKEN


def test_an_index_beside_a_file_or_in_a_named_folder_comes_with_it(world: Outside) -> None:
    beside = world.put("a.warc.gz", warc(b"one")).with_name("a.warc.gz.cdxj")
    beside.write_bytes(b"com,a)/ 2026 {}\n")
    world.put("b.warc.gz", warc(b"two"))
    elsewhere = world.home / "indexes"
    elsewhere.mkdir()
    (elsewhere / "b.cdx").write_bytes(b"")
    world.unmount("b")  # so that the source is still noted

    report = world.intake.take(SYSTEM, [world.outside], cdx=elsewhere)

    assert outcomes(report) == {"waiting": 2, "passed": 1}
    companions = {name: world.files.named(name).companion for name in ("a.warc.gz", "b.warc.gz")}
    assert companions == {"a.warc.gz": str(beside), "b.warc.gz": str(elsewhere / "b.cdx")}


def test_one_index_for_all_files_is_divided_among_them(world: Outside) -> None:
    for name in ("a.warc.gz", "b.warc.gz"):
        world.put(name, warc(name.encode()))
    cdx = world.home / "all.cdx"
    legend = " CDX N b a m s k r M S V g\n"
    cdx.write_text(
        f"{legend}a)/ 20260102030405 http://a/ text/html 200 X - - 10 0 /old/path/a.warc.gz\n"
        "b)/ 20260102030405 http://b/ text/html 200 X - - 10 0 b.warc.gz\n"
        "c)/ 20260102030405 http://c/ text/html 200 X - - 10 0 c.warc.gz\n"
        "d)/ 20260102030405 http://d/ text/html 200 X - - 10 20 a.warc.gz\n"
    )

    report = world.intake.take(SYSTEM, [world.outside], cdx=cdx)

    assert report.unused_cdx == ["c.warc.gz"]
    part = Path(world.files.named("a.warc.gz").companion)
    text = part.read_text()
    assert text.startswith(legend)
    assert [line[:2] for line in text.splitlines()[1:]] == ["a)", "d)"]
    assert world.intake.clear() == 0
    world.take_over(world.files.named("a.warc.gz"))
    assert world.intake.clear() == 1
    assert not part.exists()
