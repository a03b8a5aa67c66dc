"""That the checks of the run can fail: what must be told of is."""

from datetime import UTC, datetime, timedelta

import pytest

from armarium.formats.warc.digest import Digest
from tests.acceptance.whole.diary import INDEX_SUFFERS, Disturbances
from tests.acceptance.whole.meanwhile import WORK, Meanwhile, Span
from tests.acceptance.whole.mischief import DEEDS, ROUNDS
from tests.acceptance.whole.readers import is_shown
from tests.acceptance.whole.replaying import OF_EACH, _some_of_each_kind, digests_of_each_second
from tests.acceptance.whole.run import DECKS

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def span(begin: float, end: float) -> Span:
    return NOON + timedelta(seconds=begin), NOON + timedelta(seconds=end)


def meanwhile(work: dict[str, list[Span]], deeds: int = 1) -> Meanwhile:
    everything = {what: [span(0, 100)] for what in (*WORK, "replays")}
    return Meanwhile(span(0, 100), [span(50, 51)] * deeds, {**everything, **work})


@pytest.mark.parametrize("what", [*WORK, "replays"])
def test_work_that_did_not_run_during_the_mischief_is_a_fault(what: str) -> None:
    assert meanwhile({}).faults() == []
    assert meanwhile({what: []}).faults() == [f"no {what} ran while mischief was done"]
    assert meanwhile({what: [span(-10, -5), span(101, 102)]}).faults() != []


def test_who_plays_the_deck_twice_has_to_meet_everything() -> None:
    assert DECKS
    most = ROUNDS * len(DEEDS)
    assert meanwhile({"merges": [span(10, 20)]}, deeds=most - 1).faults() == []
    assert meanwhile({"merges": [span(10, 20)]}, deeds=most).faults() == ["no deed met merges"]
    assert meanwhile({"merges": [span(50.2, 50.4)]}, deeds=most).faults() == []


def test_only_whoever_was_disturbed_is_excused_and_not_for_long() -> None:
    disturbances = Disturbances(grace=0.0)
    end = disturbances.begin("frozen", "web")
    now = disturbances._all[0].began
    assert disturbances.excuse(now, "web") == "frozen"
    assert disturbances.excuse(now, "access") is None
    end()
    assert disturbances.excuse(now + 1000, "web") is None


def test_the_slowest_recovery_is_told() -> None:
    disturbances = Disturbances(grace=30.0)
    for ended in (100.0, 110.0, None):
        disturbances.begin("killed", "web")
        disturbances._all[-1].ended = ended
    assert disturbances.excuse(500.0, "web")  # still disturbed
    assert disturbances.slowest == 0
    disturbances._all[-1].ended = 120.0
    assert disturbances.excuse(137.0, "web")
    assert not disturbances.excuse(151.0, "web")
    assert disturbances.slowest == 17


def test_a_disturbed_index_excuses_no_process() -> None:
    disturbances = Disturbances(grace=60.0)
    disturbances.moment("run damaged", *INDEX_SUFFERS)
    began = disturbances._all[0].began
    assert disturbances.excuse(began, "access", "access's index")
    assert not disturbances.excuse(began, "access")


def test_the_time_without_an_excuse_is_told() -> None:
    disturbances = Disturbances(grace=10.0)
    for began, ended in ((100.0, 110.0), (115.0, 120.0), (180.0, None)):
        disturbances.begin("killed", "web")
        disturbances._all[-1].began, disturbances._all[-1].ended = began, ended
    assert disturbances.calm_seconds("web", 90.0, 200.0) == (100 - 90) + (180 - 130)
    assert disturbances.calm_seconds("access", 90.0, 200.0) == 110


@pytest.mark.parametrize("raw", [True, False])
def test_a_page_with_other_bytes_is_not_shown(raw: bool) -> None:
    served = [b"<title>a</title><p>0123</p>"]
    assert is_shown(served[0], served, raw=raw)
    assert not is_shown(b"<title>a</title><p>0124</p>", served, raw=raw)
    assert not is_shown(served[0], [], raw=raw)


def test_of_two_captures_within_a_second_either_may_be_shown() -> None:
    one, other = Digest.parse("sha1:A"), Digest.parse("sha1:B")
    lines = [
        {"url": "http://a.example/", "timestamp": "20260101120000", "digest": one},
        {"url": "http://a.example/", "timestamp": "20260101120000", "digest": other},
        {"url": "http://a.example/", "timestamp": "20260101120001", "digest": one},
    ]
    found = digests_of_each_second(lines)
    assert found["http://a.example/", "20260101120000"] == {one, other}
    assert found["http://a.example/", "20260101120001"] == {one}


def test_some_pages_of_each_kind_are_visited() -> None:
    jobs = {f"/harvesting/jobs/{number}" for number in range(100)}
    chosen = _some_of_each_kind({*jobs, "/storage/files?state=lost", "/storage/replicas/1"})
    assert len(chosen) == OF_EACH + 2
