"""Limits, seeds and the rule of continuations, without a database."""

import pytest

from armarium.planning.generation.candidates import (
    REASONS,
    Bounds,
    CandidateFilter,
    Estimator,
    LeftOut,
    Row,
    active_seeds,
    tighter,
)


@pytest.mark.parametrize(
    ("harvest", "own", "found"),
    [
        (None, None, (None, "-")),
        (5, None, (5, "h")),
        (None, 5, (5, "c")),
        (5, 6, (5, "h")),
        (6, 5, (5, "c")),
        (5, 5, (5, "c")),
        (None, 0, (0, "c")),
    ],
)
def test_the_smaller_limit_holds_and_is_known_by_its_owner(
    harvest: int | None, own: int | None, found: tuple[int | None, str]
) -> None:
    assert tighter(harvest, own) == found


def test_seeds_are_lines_but_for_empty_ones_comments_and_repetitions() -> None:
    text = "http://a.example/\r\n\n  # http://no.example/\n http://b.example/ \nhttp://a.example/"

    assert active_seeds(text) == ("http://a.example/", "http://b.example/")


def test_every_reason_has_its_words() -> None:
    assert set(REASONS) == set(LeftOut)


def test_the_reasons_are_counted() -> None:
    candidate_filter = CandidateFilter(
        Estimator(), Bounds(), broad=True, continues=False, skip_zero_budgets=True
    )
    row = Row(
        1,
        "a.example",
        True,
        True,
        False,
        None,
        1,
        True,
        1,
        "{}",
        None,
        None,
        None,
        None,
        False,
        "http://a.example/",
    )
    others = [row._replace(alias=True), row._replace(seeds=None), row._replace(broad=False)]
    taken = candidate_filter.select([row, *others, row._replace(alias=True)])

    assert [one.estimate for one in taken] == [5000]
    assert candidate_filter.left_out == {LeftOut.ALIAS: 2, LeftOut.NO_SEEDS: 1, LeftOut.NOT_BROAD: 1}
