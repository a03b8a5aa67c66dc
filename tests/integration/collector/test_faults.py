"""What goes wrong at one job, once, or just before the end costs no more than it must."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import pytest

from armarium.collector import crawling, digests, pauses, uploads
from armarium.collector import job as job_module
from armarium.collector import uploads as sending
from armarium.collector.collector import Collector
from armarium.collector.identity import Identity
from armarium.collector.job import Fate, Job, Limits
from armarium.collector.job_folder import Lease, LeaseLost, Moment, SealedFile, Work
from armarium.collector.pauses import Pauses
from armarium.collector.server import Denied, Link, Server
from armarium.collector.uploads import Uploads
from armarium.core import clock
from armarium.core.collecting import Enrolment, FileOffered, Heartbeat, Held, Phase, TaskOrder
from armarium.core.crawl_order import CrawlOrder
from armarium.formats.token import CollectorKeys
from tests.integration.collector.office import CODE, KEY, Arrival, Office, OfficeJob, open_office

FILE = "a-00000.warc.gz"
CONTENT = bytes(range(100))
SUMMARY = {"status": "Finished", "counts": {"succeeded": 1}, "bytes": {"received": 100}, "domains": []}
PROOF = (401, {"code": "proof", "detail": "The clock was wrong."})
PROXY = (403, {"title": "Forbidden"})
NOT_OURS = (404, {"detail": "Not Found"})
REFUSED = (422, {"code": "values", "detail": "No."})
LARGE = (413, {"title": "Request Entity Too Large"})
OFFSET = (409, {"code": "offset", "detail": "Not here."})
CHECKSUM = (409, {"code": "checksum", "detail": "Something else arrived."})

T = TypeVar("T")


@pytest.fixture
def office() -> Iterator[Office]:
    with open_office() as office:
        yield office


@pytest.fixture
def work(tmp_path: Path) -> Work:
    (tmp_path / "work").mkdir()
    return Work(tmp_path / "work")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (sending, crawling, digests):
        monkeypatch.setattr(module, "Pauses", lambda: Pauses(first=0.01))


def order_of(number: int, **facts: Any) -> CrawlOrder:
    seeds = [{"url": "http://a.example/"}]
    return CrawlOrder.model_validate({"name": f"job-{number}", "seeds": seeds, **facts})


def leased(office: Office, number: int = 7, **facts: Any) -> tuple[OfficeJob, TaskOrder]:
    """A job that the collector holds, in its first attempt."""
    job = office.order(number, order_of(number, **facts))
    job.attempt, job.state, job.until = 1, "leased", clock.now() + timedelta(seconds=30)
    return job, TaskOrder(job=number, attempt=1, lease_until=job.until, order=job.order)


def crawled(work: Work, task: TaskOrder) -> None:
    """The folder of a crawl that came to its end."""
    folder = work.of(task.job)
    folder.take(task)
    folder.crawl.create()
    folder.crawl.summary_file.write_text(json.dumps(SUMMARY))
    (folder.crawl.warcs / FILE).write_bytes(CONTENT)


def run(office: Office, story: Callable[[Server], Awaitable[T]]) -> T:
    """What happens to a collector that is known to the office."""
    keys = CollectorKeys.generate()
    office.enrolled = Enrolment(
        code=CODE, name="alpha", signing_key=keys.public_signing, sealing_key=keys.public_sealing
    )

    async def told() -> T:
        server = Server(Link(office.address), Identity("alpha", keys, KEY.public))
        try:
            async with asyncio.timeout(30):
                return await story(server)
        finally:
            await server.close()

    return asyncio.run(told())


def job_of(server: Server, work: Work, task: TaskOrder, **limits: float | str) -> Job:
    return Job(server, work, task, Moment.present().later(30), Limits(**limits))  # type: ignore[arg-type]


async def until(condition: Callable[[], object]) -> None:
    while not condition():  # noqa: ASYNC110  (of another thread, mostly)
        await asyncio.sleep(0.02)


# Refusals -----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("quick")
def test_stray_refusals_cost_patience_and_not_the_job(office: Office, work: Work) -> None:
    job, task = leased(office)
    crawled(work, task)
    office.odd = {"files": [PROOF, PROXY], "send": [NOT_OURS], "end": [PROXY, PROOF], "heartbeat": [PROOF]}
    assert run(office, lambda server: job_of(server, work, task).run()) is Fate.ENDED
    assert job.state == "done"
    assert not any(office.odd.values()), "each was met"


@pytest.mark.usefixtures("quick")
def test_what_the_server_itself_refuses_fails_the_job(office: Office, work: Work) -> None:
    job, task = leased(office)
    crawled(work, task)
    office.odd = {"files": [REFUSED] * 9}
    run(office, lambda server: job_of(server, work, task).run())
    assert (job.state, job.ends[0].files) == ("failed", ())


def send(office: Office, work: Work) -> None:
    _, task = leased(office)
    crawled(work, task)
    folder, lease = work.of(7), Lease(Moment.present().later(30))
    run(office, lambda server: Uploads(server, Held(job=7, attempt=1), folder, lease).send_all())


@pytest.mark.usefixtures("quick")
def test_an_upload_that_gets_on_may_be_refused_often(
    office: Office, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "CHUNK_BYTES", 10)
    office.odd = {"send": [None, OFFSET] * 8}
    send(office, work)
    assert office.jobs[7].arrivals[FILE].content == CONTENT


@pytest.mark.usefixtures("quick")
def test_an_upload_that_does_not_get_on_is_refused_for_good(office: Office, work: Work) -> None:
    office.odd = {"send": [CHECKSUM] * 9}
    with pytest.raises(Denied, match=FILE):
        send(office, work)
    assert len(office.odd["send"]) == 9 - sending.MOST_MENDED


@pytest.mark.usefixtures("quick")
def test_a_proxy_that_takes_less_is_sent_smaller_pieces(
    office: Office, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "CHUNK_BYTES", 64)
    monkeypatch.setattr(sending, "SMALLEST_CHUNK", 4)
    office.odd = {"send": [LARGE, LARGE]}
    send(office, work)
    assert office.jobs[7].arrivals[FILE].content == CONTENT
    assert office.asked["send"] == 2 + -(-len(CONTENT) // 16), "and stays with them"


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("verb", ["send", "files", "end"])
def test_what_is_not_taken_is_told_while_it_lasts(
    office: Office, work: Work, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    monkeypatch.setattr(pauses, "FIRM_SECONDS", 0.0)
    job, task = leased(office)
    crawled(work, task)
    office.odd = {verb: [LARGE] * 10_000}

    def told() -> str:
        return str(job.beats[-1].report.get("upload_trouble")) if job.beats else ""

    async def story(server: Server) -> None:
        life = asyncio.create_task(job_of(server, work, task).run())
        await until(lambda: "413" in told())
        office.odd = {"heartbeat": [None], "end": [PROXY] * 3}
        await life

    run(office, story)
    assert job.state == "done"


# Replicas -----------------------------------------------------------------------------------------------


@pytest.fixture
def attentive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "FIRST_ASKED", 0.01)
    monkeypatch.setattr(uploads, "MOST_ASKED", 2)
    monkeypatch.setattr(uploads, "LOOK", 0.01)


def crawled_into(work: Work, task: TaskOrder, files: int) -> list[str]:
    """The folder of a crawl that left so many files, each with its index."""
    crawled(work, task)
    folder = work.of(task.job).crawl.warcs
    names = [FILE, *(f"a-{number:05}.warc.gz" for number in range(1, files))]
    for name in names:
        (folder / name).write_bytes(CONTENT)
        (folder / f"{name}.cdxj").write_bytes(b"org,example)/ 2026 {}\n")
    return names


@pytest.mark.usefixtures("quick", "attentive")
def test_a_job_ends_when_every_replica_has_its_files_and_not_before(office: Office, work: Work) -> None:
    job, task = leased(office)
    names = crawled_into(work, task, 5)
    office.replicas_away = True

    async def story(server: Server) -> Fate:
        life = asyncio.create_task(job_of(server, work, task).run())
        await until(lambda: any(beat.report.get("files_landed") == len(names) for beat in job.beats))
        await until(lambda: office.asked["files"] > 4 * len(names))
        assert job.files == names, "one after the other was sent"
        assert job.beats[-1].phase is Phase.UPLOADING
        assert not job.ends
        assert not any(file.stored for file in work.of(7).files().values())
        office.replicas_away = False
        return await life

    assert run(office, story) is Fate.ENDED
    assert job.ends[0].files == tuple(names)


@pytest.mark.usefixtures("quick", "attentive")
def test_an_index_goes_before_its_file_and_is_not_waited_for(office: Office, work: Work) -> None:
    job, task = leased(office)
    crawled_into(work, task, 2)
    (work.of(7).crawl.warcs / f"{FILE}.cdxj").write_bytes(b"")
    run(office, lambda server: job_of(server, work, task).run())
    assert job.state == "done"
    assert list(job.arrivals) == [f"{FILE}.cdxj", FILE, "a-00001.warc.gz.cdxj", "a-00001.warc.gz"]
    kinds = [(arrival.offered.kind, arrival.state.state) for arrival in job.arrivals.values()]
    assert kinds == [("index", "landed"), ("data", "stored")] * 2


@pytest.mark.usefixtures("quick", "attentive")
def test_without_its_index_a_file_is_sent_all_the_same(office: Office, work: Work) -> None:
    job, task = leased(office)
    crawled_into(work, task, 1)
    office.odd = {"files": [REFUSED]}
    run(office, lambda server: job_of(server, work, task).run())
    assert (job.state, list(job.arrivals)) == ("done", [FILE])


@pytest.mark.usefixtures("quick", "attentive")
def test_what_had_landed_and_was_lost_is_sent_again(office: Office, work: Work) -> None:
    job, task = leased(office)
    crawled_into(work, task, 2)
    office.replicas_away = True

    async def story(server: Server) -> None:
        life = asyncio.create_task(job_of(server, work, task).run())
        await until(lambda: any(beat.report.get("files_landed") == 2 for beat in job.beats))
        with office.lock:
            job.arrivals[FILE].content.clear()
        await until(lambda: job.arrivals[FILE].content == CONTENT)
        office.replicas_away = False
        await life

    run(office, story)
    assert job.state == "done"


@pytest.mark.usefixtures("quick", "attentive")
def test_a_file_that_is_lost_again_and_again_is_refused_for_good(office: Office, work: Work) -> None:
    job, task = leased(office)
    crawled(work, task)
    lost = (200, {"name": FILE, "state": "receiving", "received": 10})
    office.replicas_away = True
    office.odd = {"files": [None, *[lost, None] * 9]}

    async def story(server: Server) -> None:
        await job_of(server, work, task).run()

    run(office, story)
    assert "does not take" in job.ends[0].error


# Earlier captures ---------------------------------------------------------------------------------------

EARLIER = b'org,example)/ 20250102030405 {"url": "http://example.org/", "digest": "sha1:X"}\n'
AWAY = (503, {"detail": "Not now."})


def provided(office: Office, work: Work, task: TaskOrder, room: int = 0) -> tuple[str, ...]:
    """The indexes that the engine is given."""
    folder, lease = work.of(task.job), Lease(Moment.present().later(30))
    folder.take(task)
    run(office, lambda server: digests.Digests(server, task, folder, lease, room).provide())
    assert not list(folder.root.glob("*.fresh"))
    return folder.crawl.read_order().recording.digest_index


@pytest.mark.usefixtures("quick")
def test_an_engine_is_told_what_the_archive_has(office: Office, work: Work) -> None:
    job, task = leased(office, recording={"digest_index": ["/of/the/order"]})
    job.digests = EARLIER * 10_000
    office.odd = {"digests": [AWAY, AWAY]}
    own, (*others, file) = work.of(7).digests, provided(office, work, task)
    assert (others, file) == (["/of/the/order"], str(own))
    assert own.read_bytes() == job.digests
    asked = office.asked["digests"]
    assert provided(office, work, task)[-1] == file, "it is here already"
    assert office.asked["digests"] == asked == 3


@pytest.mark.usefixtures("quick")
def test_where_the_archive_has_nothing_it_is_asked_once(office: Office, work: Work) -> None:
    _, task = leased(office)
    assert provided(office, work, task) == provided(office, work, task) == ()
    assert office.asked["digests"] == 1


@pytest.mark.usefixtures("quick")
def test_without_de_duplication_nobody_asks(office: Office, work: Work) -> None:
    job, task = leased(office, recording={"duplicates": "none"})
    job.digests = EARLIER
    assert provided(office, work, task) == ()
    assert not office.asked["digests"]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("fault", ["away", "refused", "cut", "no room"])
def test_what_cannot_be_had_is_done_without(office: Office, work: Work, fault: str) -> None:
    job, task = leased(office)
    job.digests = EARLIER[:-5] if fault == "cut" else EARLIER
    office.odd = {"digests": [AWAY] * 9 if fault == "away" else [REFUSED] if fault == "refused" else []}
    assert provided(office, work, task, 2**62 if fault == "no room" else 0) == ()
    assert not work.of(7).digests.exists()


def test_who_lost_the_lease_does_not_crawl_without(office: Office, work: Work) -> None:
    _, task = leased(office)
    office.take_back(7)
    with pytest.raises(LeaseLost):
        provided(office, work, task)


# A fault of one job -------------------------------------------------------------------------------------


@pytest.fixture
def silent_engine(monkeypatch: pytest.MonkeyPatch) -> str:
    """Answers once, and hangs. The module's name."""
    monkeypatch.chdir(Path(__file__).parents[3])
    monkeypatch.setattr(job_module, "STATUS_SECONDS", 0.1)
    monkeypatch.setattr(crawling, "MOST_CRASHES", 2)
    return "tests.integration.collector.silent_engine"


@pytest.mark.usefixtures("quick")
def test_an_engine_that_hangs_is_killed_like_one_that_crashed(
    office: Office, work: Work, silent_engine: str
) -> None:
    job, task = leased(office)
    work.of(7).take(task)
    run(office, lambda server: job_of(server, work, task, hung_seconds=1.0, engine=silent_engine).run())
    assert job.state == "failed"
    assert "2 times in a row" in job.ends[0].error
    assert "did not answer" in job.ends[0].error
    ages = [beat.report["report_age_seconds"] for beat in job.beats if beat.report.get("objects") == 5]
    assert ages[0] < 0.5 < max(ages), "people see that these are no news"


def test_a_fault_of_one_job_leaves_the_others_alone(office: Office, work: Work, silent_engine: str) -> None:
    broken, task = leased(office, limits={"min_free_disk": 2**60})
    broken.state = "new"
    work.of(7).take(task)
    work.of(7).crawl.create()
    work.of(7).crawl.frontier_file.write_bytes(b"This is no database. " * 100)

    async def story(server: Server) -> None:
        collector = Collector(server, work, Limits(slots=2, engine=silent_engine))
        life = asyncio.create_task(collector.run())
        await until(lambda: life.done() or 7 in collector._faults)
        other, ended = leased(office, 8)
        crawled(work, ended)
        await until(lambda: life.done() or other.state == "done")
        collector.stop()
        await life

    run(office, story)
    assert office.jobs[8].state == "done"
    assert (broken.state, broken.attempt) == ("leased", 2), "it rests"
    asked = next(request for request in office.requests if Held(job=8, attempt=1) in request.held)
    assert (len(asked.held), asked.machine.jobs, asked.free_slots) == (1, (7,), 1)


# Ends ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.usefixtures("quick")
def test_a_failed_end_names_files_of_earlier_attempts_if_the_server_has_them(
    office: Office, work: Work, known: bool
) -> None:
    job, task = leased(office)
    crawled(work, task)
    early = SealedFile("early.warc.gz", 0, "0" * 64, stored=True)
    work.of(7).keep_files([early])
    if known:
        offered = FileOffered(attempt=1, name=early.name, size=0, sha256=early.sha256)
        job.arrivals[early.name] = Arrival(offered, everywhere=True)
    office.odd = {"files": [REFUSED] * 9}
    run(office, lambda server: job_of(server, work, task).run())
    assert job.state == "failed"
    assert job.ends[0].files == ((early.name,) if known else ())


async def collect_until(server: Server, work: Work, condition: Callable[[], object]) -> None:
    collector = Collector(server, work, Limits())
    life = asyncio.create_task(collector.run())
    await until(condition)
    collector.stop()
    await life


def end_and_be_killed(office: Office, work: Work, job: OfficeJob, task: TaskOrder) -> None:
    """The server accepts the end; the collector does not live to hear so."""
    crawled(work, task)
    office.lose["end"] = 1

    async def story(server: Server) -> None:
        life = asyncio.create_task(job_of(server, work, task).run())
        await until(lambda: job.state == "done")
        life.cancel()
        await asyncio.gather(life, return_exceptions=True)

    run(office, story)
    assert work.held() == [Held(job=7, attempt=1)]


def test_a_job_whose_end_was_accepted_is_not_taken_for_lost(office: Office, work: Work) -> None:
    job, task = leased(office)
    end_and_be_killed(office, work, job, task)
    office.odd = {"end": [PROXY]}
    run(office, lambda server: collect_until(server, work, lambda: not work.held()))
    assert work.names_put_aside() == ()
    assert len(job.ends) == 1


def test_a_job_whose_end_came_too_late_is_put_aside(office: Office, work: Work) -> None:
    job, task = leased(office)
    end_and_be_killed(office, work, job, task)
    job.ends.clear()
    office.take_back(7)
    run(office, lambda server: collect_until(server, work, lambda: not work.held()))
    assert work.names_put_aside() == ("7-1",)


def test_a_folder_that_does_not_say_whose_it_is_is_put_aside_and_reported(office: Office, work: Work) -> None:
    (work.root / "8").mkdir()
    (work.root / "8" / "task.json").write_text('{"job": 8, "att')

    def reported() -> bool:
        return bool(office.requests) and office.requests[-1].machine.put_aside == ("8-0",)

    run(office, lambda server: collect_until(server, work, reported))


# Clocks -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_lease_is_a_duration_whatever_the_clocks_say(office: Office, hours: int) -> None:
    leased(office)
    office.database_ahead = timedelta(hours=hours)
    beat = Heartbeat(attempt=1, phase=Phase.CRAWLING)
    _, lease_end = run(office, lambda server: server.beat(7, beat))
    assert 25 < lease_end.left() < 29
