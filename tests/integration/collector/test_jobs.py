"""A collector takes a job, crawls it, sends its files, and leaves nothing behind, whatever happens."""

import json
import os
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from armarium.core import clock
from armarium.core.collecting import Command
from armarium.core.crawl_order import CrawlOrder
from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.records import Response
from tests.integration.collector.collecting import CollectorProcess, collecting, eventually
from tests.integration.collector.office import Office, OfficeJob, open_office
from tests.integration.harvest.crawl.harvesting import ordered
from tests.integration.harvest.crawl.website import Website, links, website
from tests.unit.harvest.record.recording import assert_indexed

PAGES = 30


@pytest.fixture
def office() -> Iterator[Office]:
    with open_office() as office:
        yield office


@contextmanager
def chain(seconds: float) -> Iterator[Website]:
    """Each page leads to the next, and takes so long."""
    pages = {f"/{number}": links(f"/{number + 1}") for number in range(1, PAGES)}
    with website({"/": links("/1"), **pages, f"/{PAGES}": links()}, seconds=seconds) as web:
        yield web


@pytest.fixture
def web() -> Iterator[Website]:
    """Whoever wants all of it needs a second or two."""
    with chain(0.05) as web:
        yield web


def order_for(web: Website, number: int = 7, **settings: Any) -> CrawlOrder:
    chosen: dict[str, Any] = {
        "name": f"job-{number}",
        "scope": {"max_hops": 1000, "contain_traps": False},
        "recording": {"max_file_bytes": 20_000},
        **settings,
    }
    order = ordered(web.address, **chosen)
    return order.model_copy(update={"limits": order.limits.model_copy(update={"max_seconds": None})})


def captured(job: OfficeJob, folder: Path) -> list[str]:
    """The addresses in the files that arrived, each as often as it is there."""
    found = []
    for name, arrival in job.arrivals.items():
        (folder / name).write_bytes(arrival.content)
    for name in job.files:
        assert job.arrivals[name].state.state == "stored"
        path = folder / name
        with path.open("rb") as file:
            found += [
                record.target_uri or ""
                for record in ArchiveReader(file)
                if isinstance(record, Response) and (record.target_uri or "").startswith("http")
            ]
    return found


def expected(web: Website) -> set[str]:
    return {web.address, *(f"{web.address}{number}" for number in range(1, PAGES + 1))}


def done(job: OfficeJob) -> bool:
    return job.state == "done"


def begun(job: OfficeJob, objects: int = 3) -> bool:
    return any(beat.report.get("objects", 0) >= objects for beat in job.beats)


def assert_whole(job: OfficeJob, web: Website, folder: Path) -> None:
    """All pages arrived, and nothing is left on the machine."""
    assert set(captured(job, folder)) == expected(web)
    assert set(job.ends[-1].files) == set(job.files)
    assert any("-metadata-" in name for name in job.files)
    assert assert_indexed(folder) == len(job.files)


def test_a_job_goes_through(office: Office, web: Website, tmp_path: Path) -> None:
    job = office.order(7, order_for(web))
    with collecting(tmp_path / "home", office.address) as machine:
        eventually(lambda: done(job))
        eventually(lambda: not (machine.work / "7").exists())
    assert_whole(job, web, tmp_path)
    (end,) = job.ends
    assert (end.outcome, end.objects) == ("Finished", PAGES + 1)
    assert [(one.domain, one.objects, one.reason) for one in end.domains] == [
        ("127.0.0.1", PAGES + 1, "complete")
    ]
    assert {"crawling", "uploading"} <= set(job.phases)
    assert any(beat.tail for beat in job.beats)
    assert len(job.files) > 2, "files were sent as they appeared"
    key = tmp_path / "home" / "secrets" / "collector-key"
    assert key.stat().st_mode & 0o777 == 0o600


def test_an_engine_dies_with_its_collector_which_goes_on_where_it_was(
    office: Office, web: Website, tmp_path: Path
) -> None:
    job = office.order(7, order_for(web))
    with collecting(tmp_path / "home", office.address) as machine:
        eventually(lambda: begun(job))
        assert len(machine.engines()) == 1
        for more in (2, 10):
            eventually(lambda more=more: machine.logged(7) >= more or done(job))  # type: ignore[misc]
            machine.kill()
            eventually(lambda: not machine.engines(), 2)
            machine.start()
        eventually(lambda: done(job))
    assert_whole(job, web, tmp_path)
    assert job.attempt > 1
    assert web.paths.count("/1") == 1, "what was recorded is not fetched again"


def test_lost_answers_and_cut_uploads_do_no_harm(office: Office, web: Website, tmp_path: Path) -> None:
    job = office.order(7, order_for(web))
    office.lose.update({"enrol": 1, "heartbeat": 2, "files": 1, "send": 1, "end": 1})
    office.cut = 1
    with collecting(tmp_path / "home", office.address) as machine:
        eventually(lambda: done(job))
        eventually(lambda: not (machine.work / "7").exists())
    assert office.cut == 0
    assert not +office.lose
    assert_whole(job, web, tmp_path)
    assert len(job.ends) == 1


def test_a_crawl_goes_on_while_the_server_is_away_also_if_its_engine_is_killed(
    office: Office, web: Website, tmp_path: Path
) -> None:
    job = office.order(7, order_for(web))
    with collecting(tmp_path / "home", office.address) as machine:
        eventually(lambda: begun(job))
        office.away = True
        os.kill(machine.engines()[0], signal.SIGKILL)
        eventually(lambda: f"/{PAGES}" in web.paths)
        assert (machine.work / "7").exists()
        office.away = False
        eventually(lambda: done(job))
    assert_whole(job, web, tmp_path)
    assert job.attempt == 1


def test_without_the_server_a_crawl_ends_with_its_lease_and_is_resumed(web: Website, tmp_path: Path) -> None:
    with open_office(lease_seconds=2) as office, collecting(tmp_path / "home", office.address) as machine:
        job = office.order(7, order_for(web))
        eventually(lambda: begun(job))
        office.away = True
        eventually(lambda: not machine.engines())
        asked = len(web.paths)
        time.sleep(0.3)
        assert len(web.paths) == asked, "nobody crawls without a lease"
        office.away = False
        eventually(lambda: done(job))
        assert_whole(job, web, tmp_path)
        assert job.attempt == 2


def test_what_was_frozen_past_its_lease_does_nothing_more(web: Website, tmp_path: Path) -> None:
    with open_office(lease_seconds=2) as office, collecting(tmp_path / "home", office.address) as machine:
        job = office.order(7, order_for(web))
        eventually(lambda: begun(job))
        frozen = [machine.process.pid if machine.process else 0, *machine.engines()]
        for pid in frozen:
            os.kill(pid, signal.SIGSTOP)
        asked, arrived = len(web.paths), {name: len(one.content) for name, one in job.arrivals.items()}
        eventually(lambda: job.until < clock.now())
        office.take_back(7)
        for pid in reversed(frozen):
            os.kill(pid, signal.SIGCONT)
        eventually(lambda: machine.work.joinpath("put-aside", "7-1").exists())
        assert len(web.paths) <= asked + 1, "only what was under way when it froze"
        assert {name: len(one.content) for name, one in job.arrivals.items()} == arrived
        assert not job.ends
        eventually(lambda: office.requests[-1].machine.put_aside == ("7-1",))


def test_a_job_that_was_taken_away_is_put_aside(office: Office, web: Website, tmp_path: Path) -> None:
    job = office.order(7, order_for(web))
    other = office.order(8, order_for(web, 8))
    with collecting(tmp_path / "home", office.address) as machine:
        eventually(lambda: begun(job))
        office.take_back(7)
        eventually(lambda: done(other))
        assert (machine.work / "put-aside" / "7-1" / "state" / "frontier.sqlite").exists()
    assert "lease-lost" in office.refused
    assert not job.ends


def test_commands_reach_the_crawl_and_answers_come_back(office: Office, web: Website, tmp_path: Path) -> None:
    job = office.order(7, order_for(web))
    numbers = count(1)

    def told(verb: str, **arguments: object) -> dict[str, Any]:
        number = next(numbers)
        job.commands.append(Command(id=number, verb=verb, arguments=arguments))
        eventually(lambda: number in job.answers)
        answer = job.answers[number]
        return {"accepted": answer.accepted, **answer.answer}

    with collecting(tmp_path / "home", office.address) as machine:
        eventually(lambda: begun(job))
        assert told("pause")["accepted"]
        machine.kill()
        machine.start()
        eventually(lambda: job.beats[-1].attempt == 2 and job.beats[-1].report.get("state") == "paused")
        assert "paused" in told("pause")["error"]
        found = told("log", pattern="/[12] L", most=10)
        assert [line.split()[3] for line in found["lines"]] == [f"{web.address}2", f"{web.address}1"]
        assert "error" in told("log", pattern="(")
        assert not told("incoming", candidates=[])["accepted"]
        assert told("queues", most=5)["queues"]
        assert told("budget", queue="*", objects=1000)["accepted"]
        assert told("resume")["accepted"]
        assert told("terminate")["accepted"]
        eventually(lambda: done(job))
    assert job.ends[0].outcome == "Finished - Ended by operator"


def test_an_order_that_cannot_be_crawled_fails(office: Office, web: Website, tmp_path: Path) -> None:
    order = order_for(web, recording={"digest_index": ["/nowhere/at-all"]})
    job = office.order(7, order)
    with collecting(tmp_path / "home", office.address) as machine:
        eventually(lambda: job.state == "failed")
        eventually(lambda: not (machine.work / "7").exists())
    assert "/nowhere/at-all" in job.ends[0].error
    assert job.ends[0].final


def test_a_collector_that_is_stopped_keeps_its_job(office: Office, web: Website, tmp_path: Path) -> None:
    job = office.order(7, order_for(web))
    with collecting(tmp_path / "home", office.address) as machine:
        eventually(lambda: begun(job))
        machine.send(signal.SIGTERM)
        assert machine.wait() == 0
        assert not machine.engines()
        summary = json.loads((machine.work / "7" / "summary.json").read_text())
        assert summary["status"] == "Interrupted"
        assert not job.ends
        machine.start()
        eventually(lambda: done(job))
    assert_whole(job, web, tmp_path)


def test_a_machine_that_is_taken_away_gives_its_jobs_back(
    office: Office, web: Website, tmp_path: Path
) -> None:
    job = office.order(7, order_for(web))
    with collecting(tmp_path / "home", office.address) as machine:
        eventually(lambda: begun(job))
        machine.kill()
        machine.start("--drain")
        assert machine.wait() == 0
        assert (machine.work / "put-aside").exists()
    assert (job.state, job.ends[-1].kind) == ("new", "returned")


def test_what_an_earlier_job_brought_is_referred_to_also_after_a_kill(
    office: Office, web: Website, tmp_path: Path
) -> None:
    first = office.order(7, order_for(web))
    with collecting(tmp_path / "home", office.address) as machine:
        eventually(lambda: done(first))
        lines = [first.arrivals[f"{name}.cdxj"].content for name in first.files]
        earlier = b"".join(sorted(b"".join(lines).splitlines(keepends=True)))
        second = office.order(8, order_for(web, 8), earlier)
        eventually(lambda: machine.logged(8) > 5 or done(second))
        machine.kill()
        machine.start()
        eventually(lambda: done(second))
    assert captured(second, tmp_path) == [f"{web.address}{PAGES}"], "an empty page is not worth a reference"
    revisits = b"".join(second.arrivals[f"{name}.cdxj"].content for name in second.files)
    assert revisits.count(b"warc/revisit") == PAGES
    assert office.asked["digests"] == 2


def test_where_the_disk_is_short_stored_files_go_before_the_end(office: Office, tmp_path: Path) -> None:
    free = shutil.disk_usage(tmp_path).free
    with chain(0.3) as web, collecting(tmp_path / "home", office.address) as machine:
        recording = {"max_file_bytes": 5000}
        limits = {"min_free_disk": free * 7 // 10}
        job = office.order(7, order_for(web, limits=limits, recording=recording))
        eventually(lambda: "nearly full" in machine.log)
        assert not done(job)
        machine.kill()
        machine.start()
        eventually(lambda: done(job))
        assert_whole(job, web, tmp_path)
        assert web.paths.count("/1") == 1


def test_without_disk_no_job_is_taken(office: Office, web: Website, tmp_path: Path) -> None:
    job = office.order(7, order_for(web))
    with collecting(tmp_path / "home", office.address, min_free_bytes=str(2**62)):
        eventually(lambda: len(office.requests) > 2)
    assert job.state == "new"
    assert "bytes are free" in office.requests[-1].machine.trouble


def test_a_wrong_code_is_said(office: Office, tmp_path: Path) -> None:
    machine = CollectorProcess(tmp_path / "home", office.address, {"enrolment": "guess"})
    machine.start()
    assert machine.wait() == 78
    assert "Make a new code there" in machine.log
