"""What the runs of a harvest brought, as curves and sentences; how far a run is, and when it will end."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from armarium.core import clock
from armarium.core.message import Message, message
from armarium.languages.speech import ago, byte_size, ngettext, number
from armarium.planning.harvests.model import Run
from armarium.web.plots.model import Plot, Series, Shape, Unit

DRAWN = 30  # runs
AVERAGED = 5
MOST_TOO_MUCH = 5  # times what came: more is no expectation

EXPECTED = message("Expected")
BROUGHT = message("Brought")


def plots_of(runs: Sequence[Run], address: str) -> list[Plot]:
    """Curves over the last runs, the oldest first."""
    labels = [run.due_at.date() for run in runs]
    hrefs = [f"{address}/runs/{run.number}" for run in runs]
    objects = [
        Series(BROUGHT, [run.objects for run in runs]),
        Series(EXPECTED, [_expected(run) for run in runs], tone="second", line=True),
    ]
    sizes = [Series(message("Size"), [run.bytes for run in runs])]
    jobs = [
        Series(message("Done"), [run.jobs - run.failed - run.unfinished for run in runs], tone="good"),
        Series(message("Failed"), [run.failed for run in runs], tone="bad"),
    ]
    return [
        Plot("objects", message("Objects per run"), labels, objects, hrefs=hrefs),
        Plot("bytes", message("Size per run"), labels, sizes, unit=Unit.BYTES, hrefs=hrefs),
        Plot("jobs", message("Jobs per run"), labels, jobs, hrefs=hrefs),
    ]


def _expected(run: Run) -> int | None:
    """Of the first run, and of new domains, nobody knew anything: such an estimate speaks of limits, not of
    sites, and would flatten what came."""
    is_known = run.number != 1 and (run.expected or 0) <= MOST_TOO_MUCH * max(run.objects, 1)
    return run.expected or None if is_known else None


def result_of(run: Run) -> list[str]:
    """What a run brought, in sentences."""
    if run.error:
        return []
    values = {
        "run": number(run.number or 0),
        "when": ago(run.ended_at or run.due_at),
        "objects": number(run.objects),
        "size": byte_size(run.bytes),
        "num": number(run.configurations),
    }
    if run.under_way:
        text = ngettext(
            "Run %(run)s is under way: so far %(objects)s objects (%(size)s) from %(num)s domain.",
            "Run %(run)s is under way: so far %(objects)s objects (%(size)s) from %(num)s domains.",
            run.configurations,
        )
    else:
        text = ngettext(
            "Last run, %(when)s, brought %(objects)s objects (%(size)s) from %(num)s domain.",
            "Last run, %(when)s, brought %(objects)s objects (%(size)s) from %(num)s domains.",
            run.configurations,
        )
    return [text % values, *([failures(run.failed)] if run.failed else [])]


def failures(count: int) -> str:
    return ngettext("%(num)s job failed.", "%(num)s jobs failed.", count) % {"num": number(count)}


def expected_next(runs: Sequence[Run]) -> tuple[int, int] | None:
    """Objects and bytes: the average of the last runs that have ended, as the calendar has it."""
    ended = [run for run in runs if run.jobs and not run.under_way][-AVERAGED:]
    if not ended:
        return None
    return sum(run.objects for run in ended) // len(ended), sum(run.bytes for run in ended) // len(ended)


# How far a run is -----------------------------------------------------------------------------------

LEAST_SHARE = 0.02  # of a run: what is less tells nothing of its end


@dataclass(frozen=True)
class Progress:
    """Of a run, while it goes on and when it has ended."""

    done: int  # jobs
    of: int
    share: float  # 0 … 1, by the objects expected or, where nobody knows, by jobs
    ends_at: datetime | None  # about; None: nobody can tell yet

    @property
    def left(self) -> int:
        return self.of - self.done


def progress_of(run: Run) -> Progress:
    done = run.jobs - run.unfinished
    share = done / run.jobs if run.jobs else 0.0
    if run.unfinished and run.expected:
        share = max(share, min(run.objects / run.expected, 0.99))
    return Progress(done, run.jobs, share, _end_of(run, share) if run.under_way else run.ended_at)


def _end_of(run: Run, share: float) -> datetime | None:
    if run.started_at is None or share < LEAST_SHARE or not run.unfinished:
        return None
    now = clock.now()
    return now + timedelta(seconds=(now - run.started_at).total_seconds() * (1 - share) / share)


def in_brief(progress: Progress) -> Message:
    """What is done and what is left."""
    values = {"done": number(progress.done), "of": number(progress.of), "left": number(progress.left)}
    text = (
        message("%(done)s of %(of)s jobs ended, %(left)s left")
        if progress.left
        else message("%(done)s of %(of)s jobs ended")
    )
    return text.saying(**values)


def speed_of(samples: Sequence[tuple[datetime, float]]) -> Plot:
    """How fast all jobs of a run were together."""
    series = [Series(message("Objects per second"), [round(speed, 2) for _, speed in samples])]
    labels = [at for at, _ in samples]
    return Plot("speed", message("Speed"), labels, series, shape=Shape.LINES, unit=Unit.RATE)
