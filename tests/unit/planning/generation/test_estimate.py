"""The worked values of NetarchiveSuite's formula, its three corrections, and the formula stated once more."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from armarium.planning.generation.candidates import Bounds, Estimator, Known, Pace, estimator_of
from armarium.planning.settings import PlanningSettings

GIGABYTE = 1_000_000_000
NONE = Bounds()


@pytest.mark.parametrize(
    ("known", "configuration", "harvest", "estimate", "maximum"),
    [
        pytest.param(None, Bounds(None, GIGABYTE), NONE, 5000, 26_315, id="never harvested, 1 GB"),
        pytest.param(None, Bounds(2000, None), NONE, 2000, 2000, id="never harvested, 2000 objects"),
        pytest.param(
            Known(1000, 30_000_000, True),
            Bounds(None, GIGABYTE),
            NONE,
            1100,
            33_333,
            id="complete, 30 kB each",
        ),
        pytest.param(
            Known(30, 300_000, True), Bounds(None, GIGABYTE), NONE, 33, 26_315, id="average not trusted"
        ),
        pytest.param(
            Known(20_000, GIGABYTE, False),
            Bounds(None, GIGABYTE),
            NONE,
            20_000,
            20_000,
            id="hit its byte limit",
        ),
        pytest.param(
            Known(500, 20_000_000, True),
            Bounds(None, GIGABYTE),
            Bounds(10_000, None),
            550,
            10_000,
            id="harvest of 10 000 objects each",
        ),
    ],
)
def test_worked_values_of_the_formula(
    known: Known | None, configuration: Bounds, harvest: Bounds, estimate: int, maximum: int
) -> None:
    expected = Estimator().expect(known, configuration, harvest)

    assert (expected.objects, expected.maximum) == (estimate, maximum)


def test_a_complete_harvest_is_expected_again_and_not_what_its_limit_leaves_room_for() -> None:
    # 133 objects came the first time; 4,115 were expected the second.
    again = Estimator().expect(Known(133, 5_054_000, True), Bounds(40_000, 1_520_000_000))

    assert again.objects == 146


@pytest.mark.parametrize("complete", [True, False])
def test_without_limits_no_less_is_expected_than_was_seen(complete: bool) -> None:
    # NetarchiveSuite says 5000 here, whatever the domain had.
    expected = Estimator().expect(Known(20_000, 400_000_000, complete))

    assert (expected.objects, expected.maximum) == (20_000, 20_000)


def test_without_limits_a_small_domain_may_grow_to_the_size_of_an_unknown_one() -> None:
    assert Estimator().expect(Known(1000, 50_000_000, False)).objects == 3000


def test_the_factor_for_guesses_has_an_effect() -> None:
    # NetarchiveSuite divides by 2, whatever its settings say.
    known, limits = Known(1000, 40_000_000, False), Bounds(None, GIGABYTE)

    assert Estimator().expect(known, limits).objects == 13_000
    assert Estimator(error_factor_guess=4).expect(known, limits).objects == 7000


def test_the_limit_of_a_configuration_holds_beside_a_wider_one_of_the_harvest() -> None:
    expected = Estimator().expect(Known(950, 38_000_000, True), Bounds(1000, None), Bounds(10_000, None))

    assert (expected.objects, expected.maximum) == (1000, 1000)


def test_a_domain_that_brought_nothing_counts_as_one_of_average_objects() -> None:
    expected = Estimator().expect(Known(0, 0, False), Bounds(None, GIGABYTE))

    assert (expected.objects, expected.maximum) == (13_157, 26_315)


def test_the_settings_reach_the_formula() -> None:
    given = PlanningSettings(
        average_object_bytes=100_000,
        trusted_objects=10,
        unknown_domain_objects=300,
        error_factor_previous=5,
        error_factor_guess=3,
    )

    assert estimator_of(given) == Estimator(100_000, 10, 300, 5, 3)


def test_a_job_takes_as_long_as_its_slowest_domain_or_all_its_objects_or_its_time() -> None:
    pace = Pace(objects_per_second=10, pause=3)

    assert pace.seconds(objects=1000, largest=10) == 100
    assert pace.seconds(objects=1000, largest=900) == 2700
    assert pace.seconds(objects=1000, largest=900, most=600) == 600


# --- the formula once more, as its description states it, line by line, with -1 for "no limit"

NO_LIMIT = -1


def lim(objects: int, size: int, average: int) -> int:
    if objects != NO_LIMIT and size != NO_LIMIT:
        return min(objects, size // average)
    return objects if objects != NO_LIMIT else size // average


def stated(
    best: tuple[int, int, bool] | None,
    config: tuple[int, int],
    harvest: tuple[int, int],
    previous: int,
    guess: int,
) -> int:
    if best is None or best[0] == 0:
        avg = 38_000
    else:
        avg = max(1, best[1] // best[0])
        if avg < 38_000 and best[0] < 50:
            avg = 38_000
    unlimited = config == (NO_LIMIT, NO_LIMIT)
    if harvest != (NO_LIMIT, NO_LIMIT):
        top = lim(*harvest, avg)
    elif not unlimited:
        top = lim(*config, avg)
    else:
        top = max(5000, best[0] if best else 0)  # the correction
    if best is None:
        est = 5000 if config[0] == NO_LIMIT else min(5000, config[0])
    elif best[2]:
        est = best[0] + int(min(top - best[0], best[0]) / previous)  # the correction
    else:
        est = best[0] + int((top - best[0]) / guess)
    if not unlimited:
        top = min(top, lim(*config, avg))
    return min(est, top)


limits = some.one_of(some.none(), some.integers(0, 10**10))
bounds = some.tuples(limits, limits)
histories = some.one_of(
    some.none(), some.tuples(some.integers(0, 10**7), some.integers(0, 10**12), some.booleans())
)


def minus_one(pair: tuple[int | None, int | None]) -> tuple[int, int]:
    return (NO_LIMIT if pair[0] is None else pair[0], NO_LIMIT if pair[1] is None else pair[1])


@given(histories, bounds, bounds, some.integers(1, 20), some.integers(1, 20))
def test_the_formula_is_the_stated_one(
    best: tuple[int, int, bool] | None,
    config: tuple[int | None, int | None],
    harvest: tuple[int | None, int | None],
    previous: int,
    guess: int,
) -> None:
    estimator = Estimator(error_factor_previous=previous, error_factor_guess=guess)
    found = estimator.expect(Known(*best) if best else None, Bounds(*config), Bounds(*harvest))

    assert found.objects == stated(best, minus_one(config), minus_one(harvest), previous, guess)
    assert 0 <= found.objects <= found.maximum
