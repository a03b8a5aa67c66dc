"""Answers of running jobs, in words."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from armarium.planning.jobs.attention import concerns_after
from armarium.planning.jobs.explanations import UNKNOWN, answer_of, remedy_for
from armarium.planning.jobs.model import CommandRow
from armarium.planning.model import JobState
from tests.unit.planning.jobs.test_running import row

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def command(verb: str, answer: Mapping[str, Any], *, accepted: bool = True, **arguments: Any) -> CommandRow:
    return CommandRow(1, verb, arguments, "ada", NOON, NOON, NOON, accepted, answer)


def test_a_preview_says_what_would_go() -> None:
    told = answer_of(command("filter", {"queued": 9, "samples": ["http://a.example/"]}, preview=True))
    assert str(told.text) == "Would remove 9 queued addresses, for example:"
    assert (told.lines, told.preview) == (["http://a.example/"], True)


def test_a_refusal_is_repeated_as_the_crawl_said_it() -> None:
    told = answer_of(command("budget", {"error": "There is no queue 'x'."}, accepted=False))
    assert (told.tone, str(told.text)) == ("bad", "Rejected: There is no queue 'x'.")


def test_a_search_that_was_cut_says_so() -> None:
    told = answer_of(command("log", {"lines": ["a"], "searched": 7, "complete": False}))
    assert "There may be more" in str(told.text)


def test_an_answer_of_another_shape_does_not_break_the_page() -> None:
    for verb in ("filter", "budget", "log", "queues", "pause", "unheard-of"):
        assert answer_of(command(verb, {"queued": "many", "lines": 7, "queues": [None]})).tone


def test_what_an_ended_job_was_still_to_do_was_not_done() -> None:
    unanswered = CommandRow(1, "resume", {}, "ada", NOON, NOON, None, False, {}, JobState.DONE)
    assert str(answer_of(unanswered).text) == "The job ended first."
    assert "Received" in str(answer_of(replace(unanswered, job_state=JobState.STARTED)).text)


def test_known_failures_have_a_remedy_and_others_are_admitted() -> None:
    assert "full" in str(remedy_for("OSError: No space left on device").cause)
    assert remedy_for("hm") is UNKNOWN


@pytest.mark.parametrize(
    ("state", "error", "said", "detail"),
    [
        (JobState.FAILED, "ENOSPC", "The disk of the collector or the server is full. Free some", "ENOSPC"),
        (JobState.REJECTED, "ENOSPC", "The disk of the collector or the server is full.", "ENOSPC"),
        (JobState.FAILED, "Hm.", "Hm. Check the log of the collector. Resubmit the job, or reject it", ""),
    ],
)
def test_a_failure_is_told_once_with_advice_while_somebody_has_to_decide(
    state: JobState, error: str, said: str, detail: str
) -> None:
    [told] = concerns_after(row(state, error=error, outcome=""), {}, [])
    assert str(told.text).startswith(said)
    assert ("then resubmit" in str(told.text)) is (state is JobState.FAILED and bool(detail))
    assert told.detail == detail
