"""Figures of use: days without any are shown, hosts become sites."""

from datetime import date

from armarium.access.statistics.counting import by_domain
from armarium.access.statistics.model import OTHER, Question, Stretch
from armarium.access.statistics.service import complete

MAY = date(2026, 5, 1)


def test_days_without_readers_are_days_too() -> None:
    known = [Stretch(date(2026, 5, 2), pages=3)]
    found = complete(known, Question(MAY, date(2026, 5, 3)))
    assert [one.pages for one in found] == [0, 3, 0]


def test_months_run_over_the_end_of_a_year() -> None:
    found = complete([], Question(date(2025, 11, 15), date(2026, 2, 1), monthly=True))
    assert [one.begin.isoformat() for one in found] == [
        "2025-11-01",
        "2025-12-01",
        "2026-01-01",
        "2026-02-01",
    ]


def test_hosts_are_counted_as_the_site_that_was_registered() -> None:
    sums = by_domain({(MAY, "www.example.org"): 2, (MAY, "example.org"): 3, (MAY, "10.0.0.1"): 1})
    assert sums == {(MAY, "example.org"): 5, (MAY, OTHER): 1}
