"""A WACZ comes into the archive as its WARC files, whole, and one file with all that it says besides."""

import io
from pathlib import Path

import pytest

from armarium.core.actor import SYSTEM
from armarium.formats.warc.reader import ArchiveReader
from armarium.storage.intake import queries
from armarium.storage.intake.importing import TAKE_IT
from armarium.storage.intake.model import Outcome, Report
from armarium.storage.intake.naming import Rules
from armarium.storage.model import FileKind
from armarium.storage.settings import INTAKE
from tests.integration.storage.outside import Outside
from tests.unit.formats.wacz.samples import FILES, PAGES, WARC, wacz

CORPORA = Path(__file__).parents[5] / "shared" / "corpora" / "wacz"


def outcomes(report: Report) -> dict[str, int]:
    return {outcome.value: count for outcome, count in report.counts.items() if count}


def content(world: Outside, name: str) -> bytes:
    with world.reader.open(name) as file:
        return file.read()


@pytest.mark.parametrize("packed", [False, True])
def test_its_warcs_are_kept_whole_and_its_pages_titles_and_texts_as_metadata(
    world: Outside, packed: bool
) -> None:
    world.put("site.wacz", wacz(packed=packed))

    report = world.intake.take(SYSTEM, [world.outside])

    assert outcomes(report) == {"taken": 2, "unpacked": 1}
    assert report.complete
    assert content(world, "site-data.warc") == WARC
    metadata = content(world, "site-wacz-metadata-1.warc.gz")
    info, *rest = ((one.target_uri, one.block.read()) for one in ArchiveReader(io.BytesIO(metadata)))
    assert b"isPartOf: Two pages" in info[1]
    assert dict(rest)["metadata://armarium/wacz/site.wacz/pages/pages.jsonl"] == PAGES
    assert [address.rpartition("/")[2] for address, _ in rest if address] == [
        "pages.jsonl",
        "datapackage.json",
        "datapackage-digest.json",
    ]
    assert world.files.named("site-wacz-metadata-1.warc.gz").kind is FileKind.METADATA
    assert not list((world.home / INTAKE).glob("*/*"))


def test_the_same_package_again_is_known_by_every_byte(world: Outside) -> None:
    path = world.put("site.wacz", wacz())
    world.intake.take(SYSTEM, [path], accession_name="Attic")

    again = world.intake.take(SYSTEM, [path], accession_name="Attic")
    other = world.intake.take(SYSTEM, [path], accession_name="Cellar")

    assert outcomes(again) == {"known": 1}
    assert outcomes(other) == {"known": 2, "unpacked": 1}


def test_packages_that_all_call_their_warc_the_same_do_not_collide(world: Outside) -> None:
    for name, page in (("one", b"1"), ("two", b"2")):
        world.put(f"{name}.wacz", wacz({**FILES, "archive/data.warc": WARC + page}))
    world.put("many.wacz", wacz({"a.wacz": wacz(), "b.wacz": wacz()}))

    report = world.intake.take(SYSTEM, [world.outside])

    assert outcomes(report) == {"taken": 7, "unpacked": 3}
    assert content(world, "two-data.warc") == WARC + b"2"
    assert content(world, "many-b-data.warc") == WARC


def test_a_package_that_is_not_what_it_says_is_refused_unless_somebody_wants_it_so(world: Outside) -> None:
    path = world.put("site.wacz", wacz(listed={**FILES, "archive/data.warc": WARC[:-1] + b"x"}))
    broken = world.put("broken.wacz", b"PK\x03\x04 broken")

    report = world.intake.take(SYSTEM, [world.outside])
    damaged = world.intake.take(SYSTEM, [world.outside], rules=Rules(damaged=True))

    assert {line.path: line.outcome for line in report.troubles} == {
        str(path): Outcome.REFUSED,
        str(broken): Outcome.FOREIGN,
    }
    assert "another SHA256 digest" in next(one.remark for one in report.troubles if one.path == str(path))
    assert outcomes(damaged) == {"taken": 3, "unpacked": 1}
    assert content(world, "broken.wacz") == b"PK\x03\x04 broken"


def test_what_waits_for_a_replica_stays_until_it_is_stored(world: Outside) -> None:
    world.put("site.wacz", wacz())
    world.unmount("b")

    report = world.intake.take(SYSTEM, [world.outside], accession_name="Attic")
    kept = sorted(path.name for path in (world.home / INTAKE).rglob("*") if path.is_file())
    cleared = world.intake.clear()

    assert outcomes(report) == {"waiting": 3}
    assert kept == ["site-data.warc", "site-wacz-metadata-1.warc.gz"]
    assert report.bytes == sum(path.stat().st_size for path in (world.home / INTAKE).glob("*/*/*"))
    assert cleared == 0


def test_a_package_waits_no_longer_than_its_files(world: Outside) -> None:
    world.put("site.wacz", wacz())
    world.unmount("b")
    report = world.intake.take(SYSTEM, [world.outside], accession_name="Attic")
    world.mount("b")
    world.files.store(world.files.named("site-data.warc").id)

    def settled() -> dict[Outcome, int]:
        assert report.accession is not None
        world.intake.clear()  # as each minute
        with world.database.transaction() as connection:
            return dict(queries.figures(connection, [report.accession])[0].counts)

    assert settled() == {Outcome.TAKEN: 1, Outcome.WAITING: 2}
    world.files.store(world.files.named("site-wacz-metadata-1.warc.gz").id)
    assert settled() == {Outcome.TAKEN: 2, Outcome.UNPACKED: 1}
    again = world.intake.take(SYSTEM, [world.outside], accession_name="Attic")
    assert outcomes(again) == {"known": 1}  # and is not read again


def test_a_file_in_a_package_that_cannot_be_read_is_taken_only_if_somebody_asks_for_it(
    world: Outside,
) -> None:
    path = world.put("site.wacz", wacz({**FILES, "archive/odd.warc.gz": b"no record at all"}))

    report = world.intake.take(SYSTEM, [path], accession_name="Attic")
    damaged = world.intake.take(SYSTEM, [path], accession_name="Attic", rules=Rules(damaged=True))

    assert outcomes(report) == {"taken": 2, "foreign": 2}
    assert {line.path: TAKE_IT in line.remark for line in report.troubles} == {
        f"{path}/archive/odd.warc.gz": True,
        str(path): False,
    }
    assert outcomes(damaged) == {"taken": 1, "known": 2, "unpacked": 1}
    assert content(world, "site-odd.warc.gz") == b"no record at all"


def test_what_lies_among_its_warcs_is_judged_by_what_it_holds(world: Outside) -> None:
    odd = {"archive/data": WARC, "archive/data.warc.1": WARC + b"1", "archive/data.warc.open": WARC + b"2"}
    path = world.put("odd.wacz", wacz({**odd, "archive/read me.txt": b"no record"}))

    report = world.intake.take(SYSTEM, [path], accession_name="Attic")
    passed = Rules(passed_over=["*.txt"])
    again = world.intake.take(SYSTEM, [path], accession_name="Attic", rules=passed)

    assert outcomes(report) == {"taken": 4, "foreign": 2}
    assert {line.path for line in report.troubles} == {f"{path}/archive/read me.txt", str(path)}
    assert [content(world, f"odd-{name}") for name in ("data", "data.warc.1", "data.warc")] == [*odd.values()]
    assert again.complete


@pytest.mark.skipif(not CORPORA.is_dir(), reason="the corpora are not beside this checkout")
def test_packages_of_others_are_taken_whole(world: Outside) -> None:
    report = world.intake.take(SYSTEM, sorted(CORPORA.glob("*.wacz")))
    assert outcomes(report) == {"taken": 13, "unpacked": 6}
    assert report.complete
