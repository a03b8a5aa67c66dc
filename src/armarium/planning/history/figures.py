"""What harvests collected, as curves: by run, by job, by reason."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from armarium.core.message import message
from armarium.planning.history.queries import HistoryRow, JobOfRun, Run
from armarium.planning.jobs.figures import ends
from armarium.planning.labels import STATES
from armarium.web.plots.model import Drawable, Part, Plot, Series, Shares, Unit, Value

FARTHEST = 5  # so many times what came: expected figures beyond it would flatten the picture
TONES = {"good": "good", "bad": "bad", "busy": "second"}


def by_run(runs: Sequence[Run]) -> list[Drawable]:
    """Of a harvest; `runs` come with the newest first."""
    ran = [run for run in reversed(runs) if run.number is not None]
    labels = [str(run.number) for run in ran]
    hrefs = [f"/harvesting/runs/{run.id}" for run in ran]
    return [
        Plot("objects", message("Objects per run"), labels, [_came(run.objects for run in ran)], hrefs=hrefs),
        _bytes(message("Bytes per run"), labels, (run.bytes for run in ran), hrefs),
    ]


def by_job(rows: Sequence[HistoryRow]) -> list[Drawable]:
    """Of a domain or a configuration; `rows` come with the newest first."""
    ended = [row for row in reversed(rows) if row.objects is not None]
    labels = [row.ended_at.date() if row.ended_at else str(row.job) for row in ended]
    hrefs = [f"/harvesting/jobs/{row.job}" for row in ended]
    came = [row.objects for row in ended]
    series = [_came(came), *_expected([row.estimate for row in ended], came)]
    return [
        Plot("objects", message("Objects per job"), labels, series, hrefs=hrefs),
        _bytes(message("Bytes per job"), labels, (row.bytes for row in ended), hrefs),
    ]


def of_run(run: Run, jobs: Sequence[JobOfRun], reasons: Mapping[str, int] | None) -> list[Drawable]:
    labels, hrefs = [str(one.id) for one in jobs], [f"/harvesting/jobs/{one.id}" for one in jobs]
    came = [one.objects for one in jobs]
    series = [_came(came), *_expected([one.estimate for one in jobs], came)]
    there = f"/harvesting/jobs?run={run.id}"
    parts = [
        Part(STATES[state][0], count, f"{there}&state={state}", TONES.get(STATES[state][1], "soft"))
        for state, count in run.states.items()
    ]
    found: list[Drawable] = [Shares("states", message("Jobs by state"), parts, href=there)]
    found += [ends(reasons)] if reasons else []
    return [*found, Plot("objects", message("Objects per job"), labels, series, hrefs=hrefs)]


def _came(values: Iterable[Value]) -> Series:
    return Series(message("Collected"), list(values))


def _expected(values: Sequence[int], came: Sequence[Value]) -> list[Series]:
    highest = max((value or 0 for value in came), default=0)
    if not highest or max(values) > FARTHEST * highest:
        return []
    return [Series(message("Expected"), values, tone="second", line=True)]


def _bytes(title: Any, labels: Sequence[Any], values: Iterable[Value], hrefs: Sequence[str]) -> Plot:
    return Plot("bytes", title, labels, [_came(values)], unit=Unit.BYTES, hrefs=hrefs)
