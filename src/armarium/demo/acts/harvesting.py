"""The third act: harvests fall due, jobs are made, two collectors run them."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from datetime import timedelta

from armarium.core import clock
from armarium.core.errors import Unavailable
from armarium.core.message import message
from armarium.db.database import Database
from armarium.demo.acts.settling_in import World
from armarium.demo.calendar import MONTH
from armarium.demo.small_web import read_truths
from armarium.demo.stage import Step, counted, size
from armarium.demo.web import Edition
from armarium.formats.cdx.line import CdxLine
from armarium.formats.cdx.parsing import capture_in
from armarium.formats.cdx.query import Match, Query
from armarium.index.chain.service import Chain
from armarium.index.lookup import Lookup
from armarium.planning.harvests.model import Definition, Harvest, Run, RunState
from armarium.planning.harvests.queries import HarvestFilter
from armarium.planning.harvests.service import Harvests
from armarium.planning.jobs.model import JobFilter as WantedJobs
from armarium.planning.jobs.service import Jobs
from armarium.planning.model import JobState
from armarium.tasks.service import Tasks

SOON = timedelta(seconds=0.5)
DUE = "planning.due"  # what the scheduler asks for once a minute
MOST = 100
DAY = timedelta(days=1)


@dataclass(frozen=True)
class Brought:
    """What a round of all harvests came to."""

    jobs: int
    objects: int
    bytes: int
    collectors: int  # that had a job


def harvest(world: World, step: Step, meanwhile: Callable[[], object]) -> Brought:
    """One run of every harvest, by its schedule: its next date is set to this moment, as people may do."""
    harvests = _harvests(world)
    step.show(f"{counted(len(harvests), 'harvest')} fall due")
    numbers = {one.id: one.runs + 1 for one in harvests}
    for one in harvests:
        _falls_due(world, one)
    time.sleep(SOON.total_seconds())
    _look_at_the_calendar(world)
    runs = _ended(world, numbers, step, meanwhile)
    refuse_failures(runs)
    return told(world, runs, step)


def harvest_now(world: World, step: Step, meanwhile: Callable[[], object], only: str = "") -> list[Run]:
    """One run of every harvest, or of those whose name begins so, at once: schedules have not begun yet."""
    engineer = world.actor("engineer")
    wanted = [one for one in _harvests(world) if one.name.startswith(only)]
    numbers = {one.id: world.get(Harvests).run_now(engineer, one.id) for one in wanted}
    return _ended(world, numbers, step, meanwhile)


def do_again(world: World, runs: list[Run], step: Step) -> list[Run]:
    """The engineer gives failed jobs out again; the runs when these have ended too."""
    jobs = world.get(Jobs)
    failed = [
        row.id
        for run in runs
        for row in jobs.page(WantedJobs(run=run.id), limit=MOST).jobs
        if row.state is JobState.FAILED
    ]
    jobs.resubmit(world.actor("engineer"), failed)
    return _ended(world, {run.harvest: run.number or 0 for run in runs}, step, lambda: None)


def _harvests(world: World) -> list[Harvest]:
    return [row.harvest for row in world.get(Harvests).search(HarvestFilter(), limit=MOST)[0]]


def _ended(world: World, numbers: dict[int, int], step: Step, meanwhile: Callable[[], object]) -> list[Run]:
    """These runs, when all their jobs have ended."""
    runs: list[Run] = []

    def over() -> bool:
        runs[:] = _runs(world, numbers)
        _show(world, runs, step)
        meanwhile()
        return len(runs) == len(numbers) and not any(run.under_way for run in runs)

    late = message(
        "The harvest took too long. The demonstration is unfinished: run it again, which begins anew. "
        "%(log)s says more.",
        log=world.log,
    )
    world.wait(over, late)
    return runs


def told(world: World, runs: list[Run], step: Step) -> Brought:
    brought = Brought(
        jobs=sum(run.jobs for run in runs),
        objects=sum(run.objects for run in runs),
        bytes=sum(run.bytes for run in runs),
        collectors=len(_collectors(world, runs)),
    )
    step.end(
        f"{counted(brought.jobs, 'job')} by {counted(brought.collectors, 'collector')}: "
        f"{counted(brought.objects, 'object')}, {size(brought.bytes)}"
    )
    return brought


def _falls_due(world: World, known: Harvest) -> None:
    harvests, engineer = world.get(Harvests), world.actor("engineer")
    definition = Definition(**{one.name: getattr(known, one.name) for one in fields(Definition)})
    harvests.change(engineer, known.id, definition, next_at=clock.now() + SOON)
    harvests.activate(engineer, known.id)


def _look_at_the_calendar(world: World) -> None:
    """The scheduler does at each full minute; nobody wants to watch a clock."""
    with world.get(Database).transaction() as connection:
        world.get(Tasks).defer(connection, DUE, {})


def _runs(world: World, numbers: dict[int, int]) -> list[Run]:
    harvests = world.get(Harvests)
    return [harvests.run(number, run) for number, run in numbers.items() if harvests.get(number).runs >= run]


def _show(world: World, runs: list[Run], step: Step) -> None:
    jobs = world.get(Jobs)
    part = 0.0
    for running in jobs.running():
        jobs.watch(running.job.id)
        finished, queued = (int(running.status.get(name) or 0) for name in ("finished", "queued"))
        part += finished / (finished + queued) if finished else 0.0
    total = sum(run.jobs for run in runs)
    done = total - sum(run.unfinished for run in runs)
    objects, brought = sum(run.objects for run in runs), sum(run.bytes for run in runs)
    if total:
        text = f"{done} of {counted(total, 'job')} · {objects:,} objects · {size(brought)}"
        step.show(text, done + part, total)


def _collectors(world: World, runs: list[Run]) -> set[str | None]:
    jobs = world.get(Jobs)
    found = [row for run in runs for row in jobs.page(WantedJobs(run=run.id), limit=MOST).jobs]
    return {row.collector_name for row in found}


def refuse_failures(runs: list[Run]) -> None:
    for run in runs:
        if run.error or run.state is not RunState.GENERATED:
            raise Unavailable(
                message(
                    "Run %(run)s of harvest %(harvest)s did not succeed: %(reason)s. The demonstration is "
                    "unfinished: run it again, which begins anew.",
                    run=run.number,
                    harvest=run.harvest,
                    reason=run.error or "-",
                )
            )
        if run.failed or not run.jobs:
            raise Unavailable(
                message(
                    "In run %(run)s of harvest %(harvest)s, %(failed)s of %(jobs)s jobs failed. The "
                    "demonstration is unfinished: run it again, which begins anew.",
                    run=run.number,
                    harvest=run.harvest,
                    failed=run.failed,
                    jobs=run.jobs,
                )
            )


# --- Whether the archive has what the web had: of the small web, and of no other, that can be known.


def compare(world: World, step: Step) -> tuple[int, int]:
    """Addresses that the harvested sites had, at both dates, and how many of them were captured."""
    lookup, truths, had, found = world.get(Chain).lookup(), read_truths(world.folder), 0, 0
    for host in sorted(world.harvested):
        for edition in Edition:
            known = truths[edition.value][host]
            captured = set(_captured(lookup, f"http://{host}:{world.ports.web}", edition))
            had += len(known)
            found += sum(answer in captured for answer in known.items())
            step.show(f"{found:,} of {had:,} addresses")
    step.end(f"{found:,} of {had:,} addresses of these sites are here")
    return had, found


def _captured(lookup: Lookup, front: str, edition: Edition) -> Iterator[tuple[str, int]]:
    """Paths, each with the status that it had at the date of the edition."""
    for raw in lookup.raw(Query(f"{front}/", match=Match.HOST)):
        line = capture_in(raw)
        if line is None or line.status is None or edition_of(line) is not edition:
            continue
        if line.url is not None and line.url.startswith(front):
            yield line.url.removeprefix(front), line.status


def edition_of(line: CdxLine) -> Edition | None:
    """Of one harvest or the other; None: of those between or before them."""
    assert line.date is not None
    ago = clock.now() - line.date
    if ago < DAY:
        return Edition.SECOND
    return Edition.FIRST if MONTH - DAY < ago < MONTH + DAY else None
