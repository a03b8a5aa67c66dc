"""What is to be thought of a seed, by what came of it and of where it leads."""

import pytest

from armarium.core.collecting import SeedVerdict as V
from armarium.core.collecting import common_fault
from armarium.harvest.reports.seeds import Elsewhere, SeedBook, SeedResult

SEED, WWW, OTHER = "http://a.example/", "http://www.a.example/", "http://b.example/"


def book(results: dict[str, SeedResult], *others: Elsewhere) -> SeedBook:
    known = {one.address: one for one in others}
    return SeedBook(results, known.get)


@pytest.mark.parametrize(
    ("status", "size", "verdict"),
    [
        (200, 9, V.FINE),
        (304, 0, V.FINE),
        (200, 0, V.EMPTY),
        (204, 0, V.EMPTY),
        (404, 9, V.DEAD),
        (410, 0, V.DEAD),
        (500, 9, V.DEAD),
        (401, 9, V.BLOCKED),
        (403, 9, V.BLOCKED),
        (429, 9, V.BLOCKED),
        (451, 9, V.BLOCKED),
        (-9998, 0, V.BLOCKED),
        (-5001, 0, V.BLOCKED),
        (-5000, 0, V.BLOCKED),
        (-6000, 0, V.BLOCKED),
        (-5003, 0, V.UNTRIED),
        (-1, 0, V.UNREACHABLE),
        (-2, 0, V.UNREACHABLE),
        (0, 0, V.UNTRIED),
    ],
)
def test_a_seed_is_judged_by_its_status_and_its_size(status: int, size: int, verdict: V) -> None:
    assert book({SEED: SeedResult(status, "", size)}).end_of(SEED).verdict is verdict


@pytest.mark.parametrize(
    ("status", "size", "verdict"),
    [(200, 9, V.MOVED), (404, 9, V.DEAD), (403, 9, V.BLOCKED), (0, 0, V.UNTRIED)],
)
def test_where_a_seed_has_moved_to_counts_and_not_the_redirect(status: int, size: int, verdict: V) -> None:
    moved = {SEED: SeedResult(301, WWW), WWW: SeedResult(302, OTHER), OTHER: SeedResult(status, "", size)}
    found = book(moved, Elsewhere(OTHER)).end_of(SEED)
    assert (found.verdict, found.address) == (verdict, OTHER)


def test_a_move_within_the_site_is_none() -> None:
    assert book({SEED: SeedResult(301, WWW), WWW: SeedResult(200, "", 9)}).end_of(SEED).verdict is V.FINE


def test_where_a_seed_leads_may_have_been_found_by_a_link_before() -> None:
    moved = {SEED: SeedResult(301, OTHER)}
    assert book(moved, Elsewhere(OTHER, 404, 9)).end_of(SEED).verdict is V.DEAD
    assert book(moved, Elsewhere(OTHER, 200, 9)).end_of(SEED).verdict is V.MOVED
    assert book(moved, Elsewhere(OTHER, rejected="scope")).end_of(SEED).verdict is V.MOVED


def test_a_redirect_within_the_site_that_was_not_followed_is_no_move() -> None:
    moved = {SEED: SeedResult(301, WWW)}
    assert book(moved, Elsewhere(WWW, rejected="max-redirects")).end_of(SEED).verdict is V.DEAD
    assert book(moved, Elsewhere(WWW, rejected="trap")).end_of(SEED).verdict is V.BLOCKED


def test_redirects_that_lead_nowhere_are_a_dead_end() -> None:
    circle = {SEED: SeedResult(301, WWW), WWW: SeedResult(301, SEED)}
    assert book(circle).end_of(SEED).verdict is V.DEAD
    itself = {SEED: SeedResult(302, f"{SEED}?jsessionid=1")}
    assert SeedBook(itself, lambda _: Elsewhere(SEED, 302)).end_of(SEED).verdict is V.DEAD
    assert book({SEED: SeedResult(301, OTHER)}).end_of(SEED).verdict is V.DEAD  # one redirect too many


def test_seeds_are_at_fault_together_only_if_none_of_them_is_good() -> None:
    assert common_fault([V.DEAD, V.FINE]) is None
    assert common_fault([V.DEAD, V.MOVED]) is None
    assert common_fault([]) is None
    assert common_fault([V.BLOCKED, V.DEAD, V.DEAD]) is V.DEAD
