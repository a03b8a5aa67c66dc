"""What is kept of the report of a heartbeat."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from armarium.planning.leasing.reports import MOST, Report, kept

USUAL = {
    "name": "job-1",
    "state": "running",
    "seconds": 12.5,
    "seconds_left": 3.0,
    "objects": 7,
    "bytes": 70,
    "objects_per_second": 0.5,
    "queues_active": 2,
    "queues": {"ready": 2},
    "mimes": [{"mime": "text/html", "objects": 5, "bytes": 50}],
    "biggest": [{"queue": "a.example", "state": "ready", "queued": 3, "objects": 1}],
}

odd = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from([10**400, -1, 1e300]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


def test_a_usual_report_is_kept_as_it_is() -> None:
    assert json.loads(json.dumps(kept(USUAL))) == USUAL


def test_odd_values_are_left_out_and_the_rest_is_kept() -> None:
    report: dict[str, Any] = {
        **USUAL,
        "bytes": 10**400,
        "objects_per_second": "abc",
        "seconds": [1],
        "seconds_left": 1e300,
        "queues_active": 2**31,
        "queues": {"ready": 2, "odd": 10**500, "true": True},
        "biggest": [5, {"queue": "a" * 1000, "queued": -1}, *[{"queue": "b"}] * 200],
        "unknown": 1,
    }
    found = kept(report)
    assert found["objects"] == 7
    assert found["queues"] == {"ready": 2}
    assert {"bytes", "objects_per_second", "seconds", "seconds_left", "queues_active", "unknown"}.isdisjoint(
        found
    )
    assert len(found["biggest"]) == MOST
    assert found["biggest"][0] == {"queue": "a" * 299 + "…"}


@given(st.dictionaries(st.sampled_from(sorted(Report.model_fields)), odd))
def test_whatever_comes_can_be_stored_and_counted_with(report: dict[str, Any]) -> None:
    found = kept(report)
    assert kept(found) == found
    json.dumps(found, allow_nan=False)
    for value in found.values():
        if isinstance(value, int | float):
            assert 0 <= float(value) < 2**62
