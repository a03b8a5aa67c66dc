from armarium.administration.audit import day


def test_a_day_that_is_none_asks_nothing() -> None:
    assert day("yesterday") is None
    assert day("2026-02-30") is None
    assert str(day("2026-12-31")) == "2026-12-31"
