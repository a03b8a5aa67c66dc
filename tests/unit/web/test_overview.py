"""What failed and was mended since is told no more; what failed again and again is told once."""

from dataclasses import dataclass

from armarium.web.overview import unmended


@dataclass(frozen=True)
class Audit:
    id: int
    replica: str
    well: bool | None


def told(*audits: Audit) -> list[tuple[int, int]]:
    """The number of the last one, and how often; the newest is given first."""
    return [(one.id, times) for one, times in unmended(audits, lambda one: one.replica, lambda one: one.well)]


def test_the_last_failure_stands_for_those_before_it() -> None:
    assert told(Audit(3, "north", False), Audit(2, "north", False), Audit(1, "north", False)) == [(3, 3)]


def test_what_went_well_since_is_mended() -> None:
    assert told(Audit(3, "north", True), Audit(2, "north", False)) == []


def test_failures_before_the_last_success_are_not_counted() -> None:
    found = told(Audit(4, "north", False), Audit(3, "north", True), Audit(2, "north", False))
    assert found == [(4, 1)]


def test_one_kind_does_not_mend_another() -> None:
    assert told(Audit(3, "north", True), Audit(2, "south", False)) == [(2, 1)]


def test_what_runs_or_was_stopped_mends_nothing() -> None:
    assert told(Audit(3, "north", None), Audit(2, "north", False)) == [(2, 1)]
