"""The bar of ages, and when an audit will end."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from armarium.storage.audits.model import SHADES, WIDTH, Age, Run, bar
from armarium.storage.model import AuditKind, RunState

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
RUN = Run(
    id=1,
    replica=1,
    replica_name="one",
    kind=AuditKind.CHECKSUM,
    state=RunState.RUNNING,
    asked_by="",
    asked_at=NOW,
    started_at=NOW - timedelta(hours=1),
    ended_at=None,
    heard_at=NOW,
    cursor="",
    older_than=None,
    files_total=10,
    bytes_total=1000,
    files=5,
    bytes=250,
    ok=5,
    missing=0,
    corrupt=0,
    strange=0,
    error="",
)


@given(st.lists(st.integers(0, 10**15), min_size=6, max_size=6))
def test_the_stretches_fill_the_bar_and_none_is_too_small_to_be_seen(amounts: list[int]) -> None:
    drawn = bar([Age(None, amount, 1) for amount in amounts])
    assert [one.shade for one in drawn] == [
        shade for shade, amount in zip(SHADES, amounts, strict=True) if amount
    ]
    assert all(one.width >= 2 for one in drawn)
    assert not drawn or abs(sum(one.width for one in drawn) - WIDTH) < 1


def test_an_empty_replica_has_no_bar() -> None:
    assert bar([]) == []


def test_an_audit_is_expected_to_end_as_it_went_so_far() -> None:
    assert RUN.share() == 0.25
    assert RUN.expected_end(NOW) == NOW + timedelta(hours=3)
    assert replace(RUN, kind=AuditKind.PRESENCE).share() == 0.5
    assert replace(RUN, bytes=0).expected_end(NOW) is None
    assert replace(RUN, state=RunState.WAITING).expected_end(NOW) is None
    assert replace(RUN, bytes_total=0).share() == 1.0
