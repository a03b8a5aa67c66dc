"""What the transfer does for a record: each case of the comparison by itself."""

from dataclasses import replace
from typing import Any

import pytest

from armarium.selection.model import Budget, Depth, Frequency, RecordState
from armarium.selection.records.model import Further
from armarium.selection.transfer.difference import Planned, Step, steps
from armarium.selection.transfer.model import Link, Setup, Target, TransferKind
from tests.unit.selection.samples import HARVEST, PRESS, ground, link, record, setup


def only(one: Any, links: list[Link], present: Setup | None, **more: Any) -> Step:
    planned = Planned({3: present} if present else {}, more.pop("stopped", ()))
    (step,) = steps(one, more.pop("on", None) or ground(), links, planned)
    return step


def kinds(step: Step) -> list[TransferKind]:
    return [entry.kind for entry in step.entries]


def test_a_new_record_is_made() -> None:
    step = only(record(further=(Further("https://news.example/map"),)), [], None)
    assert kinds(step) == [TransferKind.MADE]
    assert step.write == setup(seeds="https://news.example/\nhttps://news.example/map")


def test_what_is_the_same_is_left_alone() -> None:
    step = only(record(), [link()], setup())
    assert (step.write, step.entries, step.news) == (None, (), False)


def test_a_value_that_planning_spells_otherwise_is_no_change() -> None:
    spelt = setup(seeds="https://news.example/#")
    step = only(record(), [link(kept=spelt)], spelt)
    assert (step.write, step.entries, step.news) == (None, (), False)


def test_what_the_record_says_anew_is_written() -> None:
    step = only(record(budget=Budget.MEDIUM), [link()], setup())
    assert kinds(step) == [TransferKind.CHANGED]
    assert step.write == setup(max_objects=200, max_bytes=None)
    (entry,) = step.entries
    assert [(one.name, one.old, one.new) for one in entry.changes] == [
        ("max_objects", 100, 200),
        ("max_bytes", 1000, None),
    ]


def test_a_persons_change_in_planning_is_a_conflict_and_stays() -> None:
    step = only(record(), [link()], setup(max_objects=5))
    assert (kinds(step), step.write, step.news) == ([TransferKind.CONFLICT], None, False)


def test_other_fields_are_written_beside_a_conflict() -> None:
    step = only(record(depth=Depth.PAGE), [link()], setup(max_objects=5))
    assert kinds(step) == [TransferKind.CHANGED, TransferKind.CONFLICT]
    assert step.write == setup(profile="page", max_objects=5)
    assert step.asked == setup(profile="page")
    assert step.kept(step.write)["max_objects"] == 100


def test_a_person_who_did_what_selection_wants_is_no_conflict() -> None:
    wanted = setup(max_objects=200, max_bytes=None)
    step = only(record(budget=Budget.MEDIUM), [link()], wanted)
    assert (step.entries, step.write, step.news) == ((), None, True)
    assert step.kept(wanted) == wanted.facts()


@pytest.mark.parametrize(
    "change", [{"active": False}, {"state": RecordState.REFUSED}, {"state": RecordState.PROPOSED}]
)
def test_what_is_no_longer_wanted_is_taken_out(change: dict[str, Any]) -> None:
    step = only(record(**change), [link()], setup())
    assert kinds(step) == [TransferKind.TAKEN_OUT]
    assert step.write == setup(active=False, harvest=None)


def test_an_inactive_collection_takes_its_records_out() -> None:
    step = only(record(), [link()], setup(), on=ground(collection=replace(PRESS, active=False)))
    assert kinds(step) == [TransferKind.TAKEN_OUT]


def test_limits_that_a_person_set_are_no_conflict_of_what_is_taken_out() -> None:
    step = only(record(active=False), [link()], setup(max_objects=5))
    assert kinds(step) == [TransferKind.TAKEN_OUT]
    assert step.write == setup(max_objects=5, active=False, harvest=None)


def test_what_was_never_transferred_and_is_not_wanted_is_nothing() -> None:
    assert steps(record(active=False), ground(), [], Planned({})) == []


def test_another_domain_takes_the_record_out_of_the_old_one_first() -> None:
    moved = record(address="https://daily.example/", domain="daily.example")
    first, second = steps(moved, ground(), [link()], Planned({3: setup()}))
    assert (kinds(first), first.domain) == ([TransferKind.TAKEN_OUT], "news.example")
    assert (kinds(second), second.domain) == ([TransferKind.MADE], "daily.example")


def test_a_stopped_domain_is_said() -> None:
    step = only(record(), [link()], setup(), stopped={"news.example"})
    assert kinds(step) == [TransferKind.CONFLICT]
    assert "inactive in planning" in str(step.entries[0].reason)


def test_what_cannot_be_mapped_is_left_as_it_is() -> None:
    step = only(record(depth=Depth.DOMAIN), [link()], setup())
    assert (kinds(step), step.write, step.news) == ([TransferKind.UNABLE], None, False)


def test_a_harvest_that_is_still_to_be_made_is_named() -> None:
    coming = ground(target=Target(PRESS.id, Frequency.WEEKLY, None, "Weekly press", "weekly"))
    step = only(record(frequency=Frequency.WEEKLY), [link()], setup(), on=coming)
    (entry,) = step.entries
    assert [(one.name, one.old, one.new) for one in entry.changes] == [
        ("harvest", HARVEST.name, "Weekly press")
    ]
