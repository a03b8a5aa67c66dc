"""What a harvest's result gives reason to say."""

from collections.abc import Sequence
from typing import Any

import pytest

from armarium.selection.collections.model import Matrix
from armarium.selection.findings.model import Finding, Kind, Observed, Result, observed, proposal_of, text_of
from armarium.selection.model import Budget, Combination
from tests.unit.selection.samples import NOON, PRESS, record


def said(
    stop: str,
    objects: int = 100,
    matrix: Matrix = Matrix(),  # noqa: B008
    seeds: Sequence[Any] = (),
    **values: Any,
) -> list[Observed]:
    result = Result(3, 1, NOON, objects, 1000, stop, 100, 1000, seeds)
    return observed(result, record(**values), PRESS, matrix)


def test_a_complete_harvest_needs_no_word() -> None:
    assert said("complete") == []
    assert said("time-limit") == []


def test_nothing_collected_is_said_and_why_if_that_is_known() -> None:
    assert said("complete", 0) == said("unfinished", 0) == [Observed(Kind.NOTHING)]
    assert said("unreachable", 0) == [Observed(Kind.UNREACHABLE)]


@pytest.mark.parametrize("kind", [Kind.DEAD, Kind.BLOCKED, Kind.EMPTY, Kind.UNREACHABLE])
def test_seeds_that_are_all_bad_are_said_with_their_addresses(kind: Kind) -> None:
    seed = {"url": "http://a.example/", "verdict": kind.value, "status": 404, "redirect": ""}
    assert said(kind.value, 1, seeds=[seed]) == [Observed(kind, seeds=[seed])]


def test_a_bad_seed_among_good_ones_is_said_beside_the_rest() -> None:
    dead = {"url": "http://a.example/x", "verdict": "dead", "status": 404, "redirect": ""}
    moved = {"url": "http://a.example/", "verdict": "moved", "status": 200, "redirect": "http://b.example/"}
    expected = [Observed(Kind.DEAD, seeds=[dead]), Observed(Kind.MOVED, seeds=[moved])]
    assert said("complete", seeds=[dead, moved]) == expected
    assert said("object-limit", seeds=[dead, moved]) == [Observed(Kind.OBJECT_LIMIT), *expected]


@pytest.mark.parametrize(
    ("stop", "kind"),
    [("configuration-object-limit", Kind.OBJECT_LIMIT), ("configuration-size-limit", Kind.BYTE_LIMIT)],
)
def test_a_budget_that_was_too_small_leads_to_the_next_one(stop: str, kind: Kind) -> None:
    assert said(stop) == [Observed(kind, Budget.MEDIUM)]
    one = record()
    refused = Matrix({Combination(Budget.MEDIUM, one.frequency, one.depth): "no"})
    assert said(stop, matrix=refused) == [Observed(kind, Budget.LARGE)]
    assert said(stop, budget=Budget.LARGE) == [Observed(kind)]


def test_a_limit_of_the_harvest_is_no_matter_of_the_budget() -> None:
    assert said("object-limit") == [Observed(Kind.OBJECT_LIMIT)]


def test_a_server_that_refuses_is_said() -> None:
    assert said("blocked") == [Observed(Kind.BLOCKED)]


def finding(kind: Kind, **facts: object) -> Finding:
    return Finding(
        1, 2, "A", 3, "C", NOON, "", kind, "", "", budget=None, job=7, facts=facts, done=False,
        closed_at=None, closed_by="",
    )  # fmt: skip


def test_a_seed_that_leads_elsewhere_is_named_with_where_it_leads() -> None:
    seed = {"url": "http://a.example/", "verdict": "moved", "status": 200, "redirect": "http://b.example/"}
    said = finding(Kind.MOVED, seeds=[seed], stop="complete", objects=9)
    assert text_of(said) == "It leads to another site, in job 7: http://a.example/ → http://b.example/ (200)"
    assert proposal_of(said) == "See where it leads now, and correct the address."


@pytest.mark.parametrize("kind", [Kind.BLOCKED, Kind.OBJECT_LIMIT, Kind.BYTE_LIMIT])
def test_one_object_has_no_plural(kind: Kind) -> None:
    said = text_of(finding(kind, objects=1, bytes=300, stop="size-limit"))
    assert "Objects until then: 1" in said
    assert "1 objects" not in said
