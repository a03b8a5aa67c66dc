"""`armarium demo`: from nothing to a page at two dates, again, killed, and cleared away."""

import signal
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import httpx
import psutil
import pytest
import sqlalchemy as sa

from armarium.demo.acts.reading import Example
from armarium.demo.acts.selecting import NOMINATED, REFUSAL, UNWANTED
from armarium.demo.calendar import Calendar
from armarium.demo.cast import PEOPLE
from armarium.demo.commands import INTERRUPTED
from armarium.demo.folder import DemoState, Facts
from armarium.index.chain.model import IndexState
from armarium.planning.model import JobState
from armarium.selection.model import RecordState
from armarium.selection.search.model import Question
from armarium.server.assembly import House
from armarium.storage.backends.place import hashed_path
from armarium.storage.files.catalogue import Catalogue
from armarium.storage.files.model import FileFilter
from tests.acceptance.demo.demonstration import PATIENCE, Demonstration, demonstration
from tests.site import Client

pytestmark = pytest.mark.timeout(1800)

#: One month, and no browser that takes pictures: the year of people who run it takes minutes.
SHORT = ("--months", "1", "--no-pictures")
LONG = ("--months", "12")


@pytest.fixture(scope="module")
def built(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Demonstration]:
    """One that was run to its end, for all who only look at it: it takes its time."""
    with demonstration(tmp_path_factory.mktemp("demo")) as there:
        form = LONG if request.config.getoption("--all") else SHORT
        assert there.run("--no-stay", *form) == 0, there.output
        yield there


def test_it_tells_accounts_and_addresses(built: Demonstration) -> None:
    said, facts = built.output, built.facts
    for person in PEOPLE:
        assert f"\n  {person.name} " in said
    assert facts.password in said
    for port in built.ports:
        assert f"http://localhost:{port}" in said
    example = Example(**facts.example)
    assert example.frame(facts.ports.readers, example.first) in said
    assert example.frame(facts.ports.readers, example.second) in said
    assert "was set back" in said


def test_it_leaves_the_real_archive_alone(built: Demonstration) -> None:
    assert not built.home.exists()


def test_everything_that_the_web_had_was_brought_home(built: Demonstration) -> None:
    told = built.facts.figures
    assert told["brought"] == told["addresses"] > 500
    assert 0 < told["revisits"] < told["captures"]
    assert told["saved"] > 0


def test_the_first_harvest_is_dated_a_month_before_the_second(built: Demonstration) -> None:
    example = Example(**built.facts.example)
    assert int(example.second[:8]) - int(example.first[:8]) > 1  # even over the end of a year


def test_records_jobs_replicas_and_index_are_as_the_house_itself_says(built: Demonstration) -> None:
    with built.visit() as house:
        _records_are_decided(house)
        jobs = {state: found.number for state, found in house.jobs.counts().items() if found.number}
        if built.facts.figures["months"] == 1:
            assert jobs == {JobState.DONE: built.facts.figures["jobs"]}
        else:  # one failed and was given out again, another waits for a decision
            assert (jobs[JobState.FAILED], jobs[JobState.RESUBMITTED]) == (1, 1)
        files = _files(house)
        indexed = {state: many for state, many in house.storage.chain.counts().items() if many}
        assert indexed == {IndexState.INDEXED: len(files)}
        for name in files:
            one, two = (
                built.folder.path / "replicas" / replica / "files" / hashed_path(name)
                for replica in ("one", "two")
            )
            assert one.read_bytes() == two.read_bytes()


def _records_are_decided(house: House) -> None:
    states = {state: house.selection.search.count(Question(state=(state,))) for state in RecordState}
    (refused,) = house.selection.search.page(Question(state=(RecordState.REFUSED,)), limit=2)
    assert (refused.host, refused.state_reason) == (UNWANTED, REFUSAL)
    assert states[RecordState.PROPOSED] == 3
    assert states[RecordState.VALIDATED] > 20


def _files(house: House) -> list[str]:
    found, amount = Catalogue(house.database).page(FileFilter(), limit=1000)
    assert amount.files == len(found) > 4
    return sorted(file.name for file in found)


def test_run_again_it_opens_what_is_there_and_closes_at_ctrl_c(built: Demonstration) -> None:
    process = built.begin()
    built.wait(lambda: "until you press Ctrl-C" in built.output)
    assert "opened again" in built.output
    assert "First harvest" not in built.output
    facts = built.facts
    example = Example(**facts.example)
    pages = [_read(example.frame(facts.ports.readers, one)) for one in (example.first, example.second)]
    assert all("<iframe" in page for page in pages)
    first, second = (_raw(facts.ports.readers, example.url, one) for one in (example.first, example.second))
    assert first != second
    assert NOMINATED in _page_of("curator", facts, "/selection/nominations")
    nominated = {"Host": f"{NOMINATED}:{facts.ports.web}"}
    assert httpx.get(f"http://127.0.0.1:{facts.ports.web}/", headers=nominated, timeout=60).status_code == 200
    house = built.processes()
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE) == 0
    assert "The demonstration is closed." in built.output
    assert "Traceback" not in built.output
    assert not psutil.wait_procs(house, 60)[1]
    assert built.is_(DemoState.BUILT)


def _read(address: str) -> str:
    answer = httpx.get(address, headers={"Accept": "text/html"}, timeout=60)
    assert answer.status_code == 200
    return answer.text


def _raw(port: int, url: str, timestamp: str) -> bytes:
    address = f"http://localhost:{port}/all/{timestamp}id_/{url}"
    answer = httpx.get(address, timeout=60, follow_redirects=True)
    assert answer.status_code == 200
    return answer.content


def _page_of(name: str, facts: Facts, path: str) -> str:
    with Client(f"http://localhost:{facts.ports.staff}") as client:
        assert client.sign_in(name, facts.password).status_code == 303
        return client.get(path).text


def test_the_clock_of_everything_was_set_back_while_it_was_built(built: Demonstration) -> None:
    assert not Calendar(built.folder).is_there
    with built.visit() as house, house.database.transaction() as connection:
        for asked in DATED:
            oldest, newest = connection.execute(sa.text(asked)).one()
            months = (newest - oldest) / timedelta(days=30)
            assert abs(months - built.facts.figures["months"]) < 0.1, asked


#: Moments of Python's clock and of the database's, in every room.
DATED = (
    "SELECT min(created_at), max(ended_at) FROM job",
    "SELECT min(created_at), max(asked_at) FROM selection_record, index_file",
    "SELECT min(stored_at), max(stored_at) FROM stored_file",
    "SELECT min(at), max(at) FROM audit",
)


def test_ctrl_c_while_it_is_built_ends_all_of_it(tmp_path: Path) -> None:
    with demonstration(tmp_path) as there:
        process = there.begin()
        there.wait(lambda: "Database:" in there.output)
        left = there.processes()
        assert left
        process.send_signal(signal.SIGINT)
        # A shell says 130 of both: of Python that ends by itself, and of Python that lets the signal end it.
        assert process.wait(PATIENCE) in (INTERRUPTED, -signal.SIGINT)
        assert not psutil.wait_procs(left, 60)[1]
        assert "was interrupted" in there.output
        assert "Traceback" not in there.output
        assert there.is_(DemoState.BUILDING)


def test_killed_in_the_middle_it_is_built_anew_by_hand_and_cleared_away(tmp_path: Path) -> None:
    with demonstration(tmp_path) as there:
        process = there.begin("--no-stay")
        there.wait(lambda: "People:" in there.output)
        left = there.processes()
        process.kill()
        process.wait()
        assert there.is_(DemoState.BUILDING)
        assert there.run("--by-hand", "--no-stay") == 0, there.output
        assert not psutil.wait_procs(left, 60)[1]
        assert there.is_(DemoState.BY_HAND)
        assert "nothing is entered yet" in there.output
        with there.visit() as house:
            assert len(house.selection.collections.all()) == 3
            assert house.selection.search.count(Question()) == 0
        assert there.run("--clean") == 0, there.output
        assert list(tmp_path.iterdir()) == [tmp_path / "out"]


def test_a_folder_that_is_no_demonstration_is_not_touched(tmp_path: Path) -> None:
    there = Demonstration(tmp_path / "data")
    there.folder.path.mkdir()
    (there.folder.path / "thesis.txt").write_text("Years of work.")
    for options in (["--clean"], ["--anew"], []):
        assert there.run(*options) == 1
        assert "is no demonstration of Armarium" in there.output
    assert [path.name for path in there.folder.path.iterdir()] == ["thesis.txt"]
