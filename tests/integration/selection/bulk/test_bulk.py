"""Many records are changed at once: seen before, done on what was seen, and undone."""

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import update

from armarium.core import clock
from armarium.core.errors import Forbidden, NotFound, Refused
from armarium.selection.bulk.model import NOBODY, BulkState, Changes, Outcome, Verdict
from armarium.selection.bulk.tables import bulk as bulk_table
from armarium.selection.model import Budget, Depth, Frequency, RecordState
from armarium.selection.search.model import Question
from tests.integration.selection.bulk.desk import edits, logged, many, these
from tests.integration.selection.world import World


def test_every_field_can_be_changed_and_given_back(library: World) -> None:
    here = library
    first = here.record("https://a.example/", keywords=("old", "kept"), content_notes="There.", by=here.cora)
    changes = Changes(
        theme=here.press.themes[1].id,
        budget=Budget.MEDIUM,
        frequency=Frequency.WEEKLY,
        depth=Depth.DOMAIN,
        responsible=here.numbers["ada"],
        language="fr",
        keywords_add=("new", "Kept"),
        keywords_remove=("OLD",),
        active=False,
        content_notes="Added.",
        technical_notes="First.",
        state=RecordState.REFUSED,
        reason="Too large.",
    )
    bulk = edits(here.database)
    preview = bulk.preview(here.cora, these(first), changes)
    assert (preview.state, preview.found, preview.changing) == (BulkState.READY, 1, 1)
    assert here.records.get(first.id) == first
    done = bulk.apply(here.cora, preview.id)
    assert (done.state, done.changed) == (BulkState.DONE, 1)
    after = here.records.get(first.id)
    assert (after.theme_name, after.budget, after.frequency, after.depth) == (
        "Opinion",
        Budget.MEDIUM,
        Frequency.WEEKLY,
        Depth.DOMAIN,
    )
    assert (after.responsible_name, after.language, after.keywords) == ("ada", "fr", ("kept", "new"))
    assert (after.active, after.content_notes, after.technical_notes) == (False, "There.\nAdded.", "First.")
    assert (after.state, after.state_reason) == (RecordState.REFUSED, "Too large.")
    undone = bulk.undo(here.cora, preview.id)
    assert (undone.state, undone.restored, undone.kept, undone.undone_by) == (BulkState.UNDONE, 1, 0, "cora")
    back = here.records.get(first.id)
    kept = {"edition": first.edition, "modified_at": first.modified_at, "modified_by": first.modified_by}
    assert replace(back, **kept) == first  # type: ignore[arg-type]
    assert [actor for actor, _ in logged(here, "bulk.undone")] == ["cora"]
    assert logged(here, "record.restored") == [("cora", "https://a.example/")]
    with pytest.raises(Refused, match="gone on"):
        bulk.undo(here.cora, preview.id)


def test_what_a_librarian_changes_is_validated_again_when_it_is_undone(library: World) -> None:
    here = library
    record = here.record("https://a.example/", by=here.cora)
    bulk = edits(here.database)
    preview = bulk.preview(here.ada, these(record), Changes(frequency=Frequency.ANNUAL))
    bulk.apply(here.ada, preview.id)
    assert here.records.get(record.id).state is RecordState.PROPOSED
    bulk.undo(here.ada, preview.id)
    back = here.records.get(record.id)
    assert (back.state, back.stated_by, back.stated_at) == (RecordState.VALIDATED, "cora", record.stated_at)


def test_a_preview_says_what_changes_what_stays_and_what_cannot_be_changed(library: World) -> None:
    here = library
    mine, theirs = many(here, 3), many(here, 2, here.arts, host="arts")
    same = here.record("https://same.example/", frequency=Frequency.DAILY)
    large = here.record("https://large.example/", budget=Budget.LARGE, depth=Depth.DOMAIN)
    bulk = edits(here.database)
    made = bulk.preview(here.ada, Question(), Changes(frequency=Frequency.DAILY))
    assert (made.found, made.changing, made.same, made.refused) == (7, 3, 1, 3)
    groups = {
        verdict: (count, [row.record for row in rows])
        for verdict, count, rows in bulk.groups(made.id, sample=9)
    }
    assert groups == {
        Verdict.NOT_YOURS: (2, [one.id for one in theirs]),
        Verdict.COMBINATION: (1, [large.id]),
    }
    (why,) = [
        rows[0].why for verdict, _, rows in bulk.groups(made.id, sample=1) if verdict is Verdict.COMBINATION
    ]
    assert "More than a crawler can do in a day." in str(why)
    sample = bulk.records(made.id, verdict=Verdict.CHANGE, limit=2)
    assert [(row.record, row.before["frequency"], row.after) for row in sample] == [
        (one.id, "monthly", {"frequency": "daily"}) for one in mine[:2]
    ]
    bulk.apply(here.ada, made.id)
    assert [here.records.get(one.id).frequency for one in (*mine, *theirs, same, large)] == [
        *[Frequency.DAILY] * 3,
        *[Frequency.MONTHLY] * 2,
        Frequency.DAILY,
        Frequency.MONTHLY,
    ]
    assert logged(here, "selection.denied") == [("ada", "Arts")]


def test_an_attempt_on_somebody_elses_records_alone_is_refused_and_logged(library: World) -> None:
    here = library
    theirs = many(here, 2, here.arts)
    bulk = edits(here.database)
    made = bulk.preview(here.ada, these(*theirs), Changes(active=False))
    assert (made.changing, made.refused) == (0, 2)
    with pytest.raises(Forbidden, match="not one of yours"):
        bulk.apply(here.ada, made.id)
    assert logged(here, "selection.denied") == [("ada", "Arts")]
    assert all(here.records.get(one.id).active for one in theirs)


def test_a_theme_of_another_collection_is_refused_record_by_record(library: World) -> None:
    here = library
    press, arts = many(here, 1), many(here, 1, here.arts, host="arts")
    bulk = edits(here.database)
    made = bulk.preview(here.cora, Question(), Changes(theme=here.arts.themes[1].id))
    assert (made.changing, made.refused) == (1, 1)
    bulk.apply(here.cora, made.id)
    assert here.records.get(arts[0].id).theme_name == "Theatre"
    assert here.records.get(press[0].id).theme_name == "News"


def test_a_move_takes_the_theme_along_and_never_makes_an_address_stand_twice(library: World) -> None:
    here = library
    one, other = many(here, 2)
    here.record("https://site1.example/", here.arts)
    bulk = edits(here.database)
    music = here.arts.themes[0].id
    made = bulk.preview(here.cora, these(one, other), Changes(collection=here.arts.id, theme=music))
    assert (made.changing, made.refused) == (1, 1)
    assert [verdict for verdict, _, _ in bulk.groups(made.id, sample=1)] == [Verdict.KNOWN]
    bulk.apply(here.cora, made.id)
    moved = here.records.get(one.id)
    assert (moved.collection_name, moved.theme_name) == ("Arts", "Music")
    assert logged(here, "record.moved") == [("cora", "https://site0.example/")]
    back = bulk.undo(here.cora, made.id)
    assert (back.restored, here.records.get(one.id).theme_name) == (1, "News")


def test_a_librarian_moves_nothing_into_somebody_elses_collection(library: World) -> None:
    here = library
    mine = many(here, 1)
    bulk = edits(here.database)
    made = bulk.preview(here.ada, these(*mine), Changes(collection=here.arts.id))
    assert [(verdict, count) for verdict, count, _ in bulk.groups(made.id, sample=1)] == [
        (Verdict.NOT_YOURS, 1)
    ]
    with pytest.raises(Forbidden, match="Arts is not one of yours"):
        bulk.apply(here.ada, made.id)
    assert logged(here, "selection.denied") == [("ada", "Arts")]


def test_who_leaves_a_collection_after_the_preview_changes_and_undoes_nothing_in_it(library: World) -> None:
    here = library
    one, other = many(here, 2)
    bulk = edits(here.database)
    done = bulk.preview(here.ada, these(one), Changes(active=False))
    bulk.apply(here.ada, done.id)
    seen = bulk.preview(here.ada, these(other), Changes(active=False))
    here.collections.set_members(here.cora.actor, here.press.id, [])
    assert bulk.apply(here.ada, seen.id).passed_over == 1
    assert bulk.undo(here.ada, done.id).kept == 1
    assert [here.records.get(each.id).active for each in (one, other)] == [False, True]
    assert logged(here, "selection.denied") == [("ada", "Press")] * 2


def test_a_curator_who_applies_somebody_elses_preview_tries_nothing_forbidden(library: World) -> None:
    here = library
    bulk = edits(here.database)
    made = bulk.preview(here.ada, these(*many(here, 1), *many(here, 1, here.arts)), Changes(active=False))
    assert bulk.apply(here.cora, made.id).changed == 1
    assert logged(here, "selection.denied") == []


def test_a_librarian_proposes_many_records_again(library: World) -> None:
    here = library
    mine = many(here, 2)
    here.records.decide(here.cora, [one.id for one in mine], RecordState.REFUSED, "Too large.")
    bulk = edits(here.database)
    made = bulk.preview(here.ada, these(*mine), Changes(state=RecordState.PROPOSED))
    assert bulk.apply(here.ada, made.id).changed == 2
    assert {here.records.get(one.id).state for one in mine} == {RecordState.PROPOSED}


def test_what_somebody_changed_after_the_preview_is_passed_over_and_told(library: World) -> None:
    here = library
    one, other = many(here, 2)
    bulk = edits(here.database)
    made = bulk.preview(here.ada, these(one, other), Changes(responsible=here.numbers["ada"]))
    here.records.change_fields(here.cora, one.id, {"title": "Meanwhile"})
    done = bulk.apply(here.ada, made.id)
    assert (done.changed, done.passed_over) == (1, 1)
    assert [row.record for row in bulk.records(made.id, outcome=Outcome.PASSED_OVER, limit=5)] == [one.id]
    assert here.records.get(one.id).responsible is None
    assert here.records.get(other.id).responsible == here.numbers["ada"]


def test_a_rule_made_after_the_preview_holds(library: World) -> None:
    here = library
    (one,) = many(here, 1)
    bulk = edits(here.database)
    made = bulk.preview(here.ada, these(one), Changes(frequency=Frequency.DAILY))
    matrix = dict(here.collections.matrix().refused)
    matrix[replace(one.combination, frequency=Frequency.DAILY)] = "Not any more."
    here.collections.set_matrix(here.cora.actor, matrix)
    done = bulk.apply(here.ada, made.id)
    assert (done.changed, done.passed_over) == (0, 1)
    assert here.records.get(one.id).frequency is Frequency.MONTHLY


def test_undo_leaves_alone_what_was_changed_since(library: World) -> None:
    here = library
    one, other = many(here, 2)
    bulk = edits(here.database)
    made = bulk.preview(here.ada, these(one, other), Changes(active=False))
    bulk.apply(here.ada, made.id)
    here.records.change_fields(here.ada, one.id, {"title": "Since"})
    undone = bulk.undo(here.ada, made.id)
    assert (undone.restored, undone.kept) == (1, 1)
    assert [row.record for row in bulk.records(made.id, outcome=Outcome.KEPT, limit=5)] == [one.id]
    assert (here.records.get(one.id).active, here.records.get(other.id).active) == (False, True)


def test_only_its_maker_or_a_curator_goes_on_with_a_bulk_edit(library: World) -> None:
    here = library
    mine = many(here, 1)
    bulk = edits(here.database)
    made = bulk.preview(here.ada, these(*mine), Changes(active=False))
    with pytest.raises(Forbidden, match="somebody else"):
        bulk.apply(here.ben, made.id)
    bulk.apply(here.ada, made.id)
    with pytest.raises(Forbidden, match="somebody else"):
        bulk.undo(here.ben, made.id)
    assert logged(here, "selection.denied") == [("ben", str(made.id))] * 2
    assert bulk.undo(here.cora, made.id).restored == 1


def test_wrong_choices_are_refused_by_their_names(library: World) -> None:
    here = library
    mine = many(here, 1)
    bulk = edits(here.database)
    for by, changes, field in (
        (here.ada, Changes(), "responsible"),
        (here.ada, Changes(state=RecordState.VALIDATED), "state"),
        (here.cora, Changes(state=RecordState.REFUSED), "reason"),
        (here.ada, Changes(language="français"), "language"),
        (here.ada, Changes(responsible=10**9), "responsible"),
        (here.ada, Changes(theme=10**9), "theme"),
        (here.ada, Changes(collection=10**9), "collection"),
    ):
        with pytest.raises(Refused) as refused:
            bulk.preview(by, these(*mine), changes)
        assert refused.value.field == field
    with pytest.raises(Refused, match="No record"):
        bulk.preview(here.ada, Question(title="nothing"), Changes(active=False))


def test_nobody_is_a_responsible_person_as_well(library: World) -> None:
    here = library
    one = here.record("https://a.example/", responsible=here.numbers["ada"])
    bulk = edits(here.database)
    made = bulk.preview(here.ada, these(one), Changes(responsible=NOBODY))
    bulk.apply(here.ada, made.id)
    assert here.records.get(one.id).responsible is None


def test_after_thirty_days_nothing_is_undone_and_its_values_are_forgotten(library: World) -> None:
    here = library
    mine = many(here, 1)
    bulk = edits(here.database)
    made = bulk.preview(here.ada, these(*mine), Changes(active=False))
    left = bulk.preview(here.ada, these(*mine), Changes(language="fr"))
    bulk.apply(here.ada, made.id)
    assert bulk.clear() == 0
    with here.database.transaction() as connection:
        late = clock.now() - timedelta(days=31)
        connection.execute(update(bulk_table).values(made_at=late))
        connection.execute(update(bulk_table).where(bulk_table.c.id == made.id).values(applied_at=late))
    with pytest.raises(Refused, match="30 days"):
        bulk.undo(here.ada, made.id)
    assert bulk.clear() == 1
    with pytest.raises(NotFound):
        bulk.get(left.id)
    assert bulk.records(made.id, limit=5) == []
    assert bulk.get(made.id).changed == 1
