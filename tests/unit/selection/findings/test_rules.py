"""What a harvest's result gives reason to say."""

from typing import Any

import pytest

from armarium.selection.collections.model import Matrix
from armarium.selection.findings.model import Kind, Observed, Result
from armarium.selection.findings.rules import observed
from armarium.selection.model import Budget, Combination
from tests.unit.selection.samples import NOON, PRESS, record


def said(stop: str, objects: int = 100, matrix: Matrix = Matrix(), **values: Any) -> list[Observed]:  # noqa: B008
    result = Result(3, 1, NOON, objects, 1000, stop, 100, 1000)
    return observed(result, record(**values), PRESS, matrix)


def test_a_complete_harvest_needs_no_word() -> None:
    assert said("complete") == []
    assert said("time-limit") == []


def test_nothing_collected_is_said_whatever_the_reason() -> None:
    assert said("complete", 0) == said("unreachable", 0) == [Observed(Kind.NOTHING)]


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
