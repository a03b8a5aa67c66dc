"""The forecast of storage: a straight line through the last six months."""

from datetime import date

from armarium.storage.forecast import Forecast, forecast

TODAY = date(2026, 11, 19)


def test_it_goes_on_as_the_last_six_months_went() -> None:
    expected = forecast([0, 0, 5, 1000, 1100, 1200, 1300, 1400, 1500, 1600])
    assert expected == Forecast(100)
    assert expected.after(1600, 12) == 2800


def test_months_before_the_first_file_do_not_count() -> None:
    assert forecast([0, 0, 0, 100, 200, 300]) == Forecast(100)


def test_two_months_are_no_line() -> None:
    assert forecast([0, 0, 100, 200]) is None
    assert forecast([]) is None


def test_a_replica_is_full_when_its_free_space_is_used_up() -> None:
    assert Forecast(100).full_on(1200, TODAY) == date(2027, 11, 19)
    assert Forecast(100).full_on(0, TODAY) == TODAY


def test_what_does_not_grow_or_lasts_for_decades_has_no_date() -> None:
    assert Forecast(0).full_on(1200, TODAY) is None
    assert Forecast(-5).full_on(1200, TODAY) is None
    assert Forecast(1).full_on(1200, TODAY) is None
