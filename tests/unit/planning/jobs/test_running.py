"""What is believed of the last news of a job, and how its log is shown."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from armarium.planning.jobs.contexts import shown_progress
from armarium.planning.jobs.explanations import Waiting, in_short, parted, why_waiting
from armarium.planning.jobs.model import JobRow, RunningJob
from armarium.planning.leasing.reports import final
from armarium.planning.model import JobState

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
S = JobState
MOVING = {"state": "running", "queued": 5, "finished": 100, "objects_per_second": 2.0, "seconds_left": 60.0}


def row(state: JobState, **values: Any) -> JobRow:
    usual: dict[str, Any] = dict.fromkeys(JobRow.__dataclass_fields__)
    usual |= {"id": 7, "channel": "news", "created_at": NOON, "ended_at": None, "split": "end"}
    return JobRow(**(usual | values | {"state": state}))


def news(before: int | None = None, **status: Any) -> RunningJob:
    return RunningJob(row(S.STARTED), {"report": {**MOVING, **status}}, before)


def test_a_job_that_moves_says_how_fast_and_how_long() -> None:
    shown = shown_progress(news(before=9))
    assert (shown["objects_per_second"], shown["left"], shown["paused"]) == (2.0, 60.0, False)


def test_a_paused_job_has_neither_rate_nor_end() -> None:
    shown = shown_progress(news(state="paused", pause_reason="by the operator"))
    assert (shown["objects_per_second"], shown["left"], shown["paused"]) == (0.0, None, True)


@pytest.mark.parametrize(("before", "queued"), [(4, 5), (None, 101)])
def test_while_the_queues_grow_nobody_knows_the_end(before: int | None, queued: int) -> None:
    assert shown_progress(news(before=before, queued=queued))["left"] is None


def test_a_job_that_has_ended_is_not_paused_whatever_it_said_last() -> None:
    found = RunningJob(row(S.DONE), {"report": {**MOVING, "state": "paused"}})
    shown = shown_progress(found)
    assert (shown["paused"], shown["moves"], shown["left"]) == (False, False, None)


def test_a_job_that_has_ended_shows_the_figures_of_its_end() -> None:
    told = {"seconds": 12.5, "queued": 2, "finished": 260, "odd": "left out"}
    before = {**MOVING, "objects": 128, "traps": 3, "biggest": [{"queue": "a", "queued": 9}]}
    report = final(before, told, 255, 9000)
    shown = shown_progress(RunningJob(row(S.DONE), {"report": report}))
    assert (shown["objects"], shown["bytes"], shown["seconds"], shown["queued"]) == (255, 9000, 12.5, 2)
    assert (shown["traps"], shown["biggest"], shown["final"]) == (3, [], True)


def test_addresses_under_way_are_among_the_queued_and_queues_without_any_are_not_shown() -> None:
    queues = [{"queue": "a.example", "queued": 5}, {"queue": "b.example", "queued": 0}]
    shown = shown_progress(news(in_flight=5, biggest=queues))
    assert (shown["queued"], shown["all"]) == (5, 105)
    assert [one["queue"] for one in shown["biggest"]] == ["a.example"]


def test_a_line_of_the_log_is_shown_without_what_aligns_it_and_the_json_apart() -> None:
    line = '2026-05-01T12:00:00.000Z   200       1299 http://a.example/ L - text/html #001 {"a":{"b":1}}'
    assert in_short(line) == "2026-05-01T12:00:00.000Z 200 1299 http://a.example/ L - text/html #001"
    assert parted(line).facts == '{"a":{"b":1}}'
    assert parted("no facts") == ("no facts", "")


def test_a_job_that_failed_before_says_so_while_it_waits() -> None:
    later = row(S.NEW, not_before=NOON + timedelta(minutes=8))
    told = str(why_waiting(later, Waiting(failed=3, error="The disk broke."), NOON))
    assert told.startswith("Failed attempts: 3. Last error: The disk broke. Starts no earlier than")
