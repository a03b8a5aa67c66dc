"""What happened before the two harvests that the demonstration shows in full: month after month, in short."""

from collections.abc import Iterator
from dataclasses import dataclass

from armarium.core import clock
from armarium.demo.acts.harvesting import do_again, harvest_now, refuse_failures
from armarium.demo.acts.keeping import audit, wait_until_kept
from armarium.demo.acts.selecting import Share, decide, enter, transfer
from armarium.demo.acts.settling_in import World
from armarium.demo.acts.visiting import visit
from armarium.demo.calendar import MONTH, WEEK
from armarium.demo.cast import GATHERINGS
from armarium.demo.stage import Stage, Step, counted, size
from armarium.demo.web import Youth, write_youth
from armarium.planning.harvests.model import Run

WEEKLY = GATHERINGS[0].name  # its harvest runs each week in the last months
WEEKLY_MONTHS = 3
MISHAP = 7  # so many months ago a job failed, and was given out again
AUDITED = 3  # each so many months
VISITED = 10  # since so many months ago there are readers


@dataclass(frozen=True)
class Year:
    """How many months are shown, this one not counted."""

    months: int = 12

    def share(self, back: int) -> Share:
        return Share(self.months - back, self.months)

    @property
    def earlier(self) -> Iterator[int]:
        """Months before the last, as how long ago they were."""
        return iter(range(self.months, 1, -1))


class Unseen:
    """A step within another: its end is not told."""

    def __init__(self, step: Step, title: str) -> None:
        self._step = step
        self._title = title

    def show(self, text: str, done: float = 0.0, total: float | None = None) -> None:
        self._step.show(f"{self._title}: {text}", done, total)

    def end(self, text: str) -> None:
        """The whole month is told at once."""


def live(stage: Stage, world: World, year: Year) -> int:
    """All months before the last; how many jobs they had."""
    return sum(_month(stage, world, year, back) for back in year.earlier)


def _month(stage: Stage, world: World, year: Year, back: int) -> int:
    began = MONTH * back
    world.calendar.turn(began)
    with stage.step(f"{clock.now():%B %Y}") as step:
        write_youth(world.folder.web, Youth(back - 1, f"{clock.now():%Y-%m-%d}"))
        records = enter(world, Unseen(step, "selection"), year.share(back))
        decide(world, Unseen(step, "decisions"))
        transfer(world, Unseen(step, "transfer"))
        runs = _harvested(world, step, mishap=back == MISHAP)
        if back <= WEEKLY_MONTHS:
            for week in range(1, 4):
                world.calendar.turn(began - WEEK * week)
                write_youth(world.folder.web, Youth(back - 1, f"{clock.now():%Y-%m-%d}"))
                runs += _harvested(world, step, WEEKLY)
        if back % AUDITED == 0:
            audit(world, Unseen(step, "audit"))
        _readers(world, step, year, back)
        jobs, objects = sum(run.jobs for run in runs), sum(run.objects for run in runs)
        brought = size(sum(run.bytes for run in runs))
        step.end(
            f"{counted(records, 'record')}, {counted(jobs, 'job')}, {counted(objects, 'object')}, {brought}"
        )
    return jobs


def weeks_between(stage: Stage, world: World, year: Year) -> int:
    """The weeks between the last two harvests; how many jobs they had."""
    if year.months == 1:
        return 0
    runs = []
    with stage.step("The weeks between") as step:
        for week in range(1, 4):
            world.calendar.turn(MONTH - WEEK * week)
            world.folder.mishap.touch() if week == 3 else None
            runs += _harvested(world, step, WEEKLY, left=True)
        _readers(world, step, year, 1)
        step.end(f"{counted(len(runs), 'weekly harvest')}; in the last one a job failed, and waits for you")
    return sum(run.jobs for run in runs)


def _harvested(
    world: World, step: Step, only: str = "", *, mishap: bool = False, left: bool = False
) -> list[Run]:
    if mishap:
        world.folder.mishap.touch()
    unseen = Unseen(step, "harvest")
    runs = harvest_now(world, unseen, lambda: None, only)
    if mishap:
        runs = do_again(world, runs, unseen)
    elif not left:
        refuse_failures(runs)
    wait_until_kept(world, Unseen(step, "storage"), Unseen(step, "index"))
    return runs


def _readers(world: World, step: Step, year: Year, back: int) -> None:
    if back <= VISITED:
        step.show("readers come")
        visit(world, MONTH * back, MONTH * (back - 1), 1 - back / year.months)
