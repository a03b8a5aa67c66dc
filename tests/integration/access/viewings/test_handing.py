"""What was missing becomes seeds of a next harvest."""

import pytest

from armarium.access.viewings.handover import Order
from armarium.access.viewings.model import MissingFilter, Standing
from armarium.access.viewings.protocols import Fate, Plan
from armarium.accounts.model import Role
from armarium.audit.model import Question
from armarium.audit.service import Audit
from armarium.core.errors import NotFound, Refused
from armarium.planning.harvests.service import Harvests
from armarium.planning.model import HarvestKind
from tests.integration.access.viewings.world import ViewerWorld

PAGE, PICTURE, ODD = "http://a.example/gone", "http://a.example/logo.png", "http://localhost/x"


def plan(there: ViewerWorld) -> Plan:
    number, title = there.handing.harvests.profiles()[0]
    assert title.startswith("page:")
    return Plan(number, 10**9)


def test_a_new_event_harvest_has_what_was_missing_as_its_seeds(there: ViewerWorld) -> None:
    person, actor = lea = there.person("cora", Role.CURATOR)
    viewing = there.begin(lea, there.job("a.example"))
    there.miss(viewing, PAGE, PICTURE)
    order = Order(None, "Gaps of autumn", plan(there), activate=False)
    handed = there.handing.hand_over(actor, person, viewing.id, order, MissingFilter())
    assert {line.url: line.fate for line in handed.lines} == {PAGE: Fate.TAKEN, PICTURE: Fate.TAKEN}
    harvest = there.services.get(Harvests).get(handed.harvest)
    assert (harvest.name, harvest.kind, harvest.active) == ("Gaps of autumn", HarvestKind.EVENT, False)
    assert there.seeds() == [PAGE, PICTURE]
    found, _ = there.viewings.missing(person, viewing.id, MissingFilter(Standing.HANDED))
    assert {(one.harvest, one.handed_by) for one in found} == {(handed.harvest, "cora")}
    after = there.viewings.get(person, viewing.id)
    assert (after.open, after.handed) == (0, 2)
    [entry] = Audit(there.database).page(Question(action="viewing.handed_over"), limit=5)[0]
    assert entry.after == {"harvest": "Gaps of autumn", "missing": 2}


def test_chosen_ones_join_an_event_harvest_that_there_is(there: ViewerWorld) -> None:
    person, actor = lea = there.person("cora", Role.CURATOR)
    viewing = there.begin(lea, there.job("a.example"))
    there.miss(viewing, PAGE, PICTURE)
    made = there.handing.harvests.create(actor, "Gaps", ["http://b.example/"], plan(there), activate=False)
    assert there.handing.harvests.harvests() == [(made.harvest, "Gaps")]
    [picture] = there.viewings.missing(person, viewing.id, MissingFilter(text="logo"))[0]
    order = Order(made.harvest, "", plan(there))
    handed = there.handing.hand_over(actor, person, viewing.id, order, [picture.id])
    assert [line.fate for line in handed.lines] == [Fate.TAKEN]
    assert there.missing(viewing, Standing.OPEN) == {PAGE: 1}
    assert there.seeds() == [PICTURE, "http://b.example/"]


def test_what_the_harvest_has_already_counts_as_handed_over(there: ViewerWorld) -> None:
    """As after a crash between the harvest's transaction and ours."""
    person, actor = lea = there.person("cora", Role.CURATOR)
    viewing = there.begin(lea, there.job("a.example"))
    there.miss(viewing, PAGE)
    made = there.handing.harvests.create(actor, "Gaps", [PAGE], plan(there), activate=False)
    order = Order(made.harvest, "", plan(there))
    handed = there.handing.hand_over(actor, person, viewing.id, order, MissingFilter())
    assert [(line.url, line.fate) for line in handed.lines] == [(PAGE, Fate.DUPLICATE)]
    assert there.missing(viewing, Standing.OPEN) == {}


def test_what_the_harvest_refuses_stays_open_with_its_reason(there: ViewerWorld) -> None:
    person, actor = lea = there.person("cora", Role.CURATOR)
    viewing = there.begin(lea, there.job("a.example"))
    there.miss(viewing, PAGE, ODD)
    order = Order(None, "Gaps", plan(there), activate=False)
    handed = there.handing.hand_over(actor, person, viewing.id, order, MissingFilter())
    fates = {line.url: (line.fate, bool(line.reason)) for line in handed.lines}
    assert fates == {PAGE: (Fate.TAKEN, False), ODD: (Fate.REFUSED, True)}
    assert there.missing(viewing, Standing.OPEN) == {ODD: 1}


def test_handed_over_it_is_counted_further_but_not_handed_again(there: ViewerWorld) -> None:
    person, actor = lea = there.person("cora", Role.CURATOR)
    viewing = there.begin(lea, there.job("a.example"))
    there.miss(viewing, PAGE)
    order = Order(None, "Gaps", plan(there), activate=False)
    there.handing.hand_over(actor, person, viewing.id, order, MissingFilter())
    there.miss(viewing, PAGE)
    assert there.missing(viewing, Standing.HANDED) == {PAGE: 2}
    with pytest.raises(Refused):
        there.handing.hand_over(actor, person, viewing.id, order, MissingFilter())


def test_an_order_that_cannot_be_carried_out_changes_nothing(there: ViewerWorld) -> None:
    person, actor = lea = there.person("cora", Role.CURATOR)
    viewing = there.begin(lea, there.job("a.example"))
    there.miss(viewing, PAGE)
    chosen = plan(there)
    for order, field in (
        (Order(None, "  ", chosen), "name"),
        (Order(None, "Gaps", Plan(999)), "profile"),
        (Order(1, "", chosen), None),  # a selective harvest takes no seeds
    ):
        with pytest.raises(Refused) as refusal:
            there.handing.hand_over(actor, person, viewing.id, order, MissingFilter())
        assert refusal.value.field == field
    with pytest.raises(NotFound):
        there.handing.hand_over(actor, person, viewing.id, Order(999, "", chosen), MissingFilter())
    with pytest.raises(Refused):
        there.handing.hand_over(actor, person, viewing.id, Order(None, "Gaps", chosen), [4711])
    other = there.person("ole", Role.LIBRARIAN)
    with pytest.raises(NotFound):
        there.handing.hand_over(other[1], other[0], viewing.id, Order(None, "Gaps", chosen), MissingFilter())
    assert there.missing(viewing, Standing.OPEN) == {PAGE: 1}
    assert there.handing.harvests.harvests() == []
