"""Addresses are entered, looked at, compared with what is there, and made records."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
import sqlalchemy as sa

from armarium.audit.model import Question
from armarium.audit.service import Audit
from armarium.core import clock
from armarium.core.errors import Forbidden, NotFound, Refused
from armarium.db.database import Database
from armarium.selection.entry.checker import Trouble, Verdict
from armarium.selection.entry.model import MOST_LINES, ChosenLine, LineState
from armarium.selection.entry.queueing import CHECK
from armarium.selection.entry.tables import batch as batches
from armarium.selection.model import Budget, Depth, Frequency, Origin, RecordState
from armarium.selection.records.model import Further
from armarium.selection.records.writing import Entered, Known
from tests.integration.selection.entry.desk import Desk, desk


@pytest.fixture
def ours(database: Database) -> Iterator[Desk]:
    with desk(database) as prepared:
        yield prepared


def test_each_line_has_its_result(ours: Desk) -> None:
    ours.library.record(ours.url("known"))
    _, lines = ours.checked(
        ours.url("news"),
        "# a remark",
        ours.url("old"),
        ours.url("broken"),
        ours.url("known"),
        "no address at all",
        "http://127.0.0.1/",
        ours.url("news#again"),
    )
    assert [line.state for line in lines] == [
        LineState.FINE,
        LineState.REDIRECTS,
        LineState.INVALID,
        LineState.KNOWN,
        LineState.INVALID,
        LineState.INVALID,
        LineState.TWICE,
    ]
    assert [line.check.trouble for line in lines if line.state is LineState.INVALID] == [
        Trouble.STATUS,
        Trouble.NO_ADDRESS,
        Trouble.DENIED,
    ]
    assert lines[6].check.twin == 1
    assert (lines[0].check.title, lines[0].check.language) == ("The News", "fr")
    assert [line.ticked for line in lines] == [True, True, False, False, False, False, False]


def test_of_two_lines_that_lead_to_one_address_the_first_is_taken(ours: Desk) -> None:
    batch, lines = ours.checked(ours.url("news"), ours.url("new"), ours.url("old"))
    assert [(line.ticked, line.follows) for line in lines] == [(True, 0), (True, 0), (False, 2)]
    assert lines[2].choices == (ours.url("old"), ours.url("new"))
    taken = [ChosenLine(line.check.id, line.preferred) for line in lines if line.ticked]
    made = ours.checks.take(ours.library.ada, batch.id, taken, ours.common)
    assert [one.address for one in made] == [ours.url("news"), ours.url("new")]


def test_of_a_redirect_every_step_can_be_taken(ours: Desk) -> None:
    batch, [line] = ours.checked(ours.url("old"))
    assert line.choices == (ours.url("old"), ours.url("new"))
    assert line.preferred == ours.url("new")
    [made] = ours.checks.take(
        ours.library.ada, batch.id, [ChosenLine(line.check.id, ours.url("old"))], ours.common
    )
    assert (made.address, made.title) == (ours.url("old"), "The New")
    with pytest.raises(Refused, match="already"):
        ours.checks.take(ours.library.ada, batch.id, [ChosenLine(line.check.id)], ours.common)


def test_records_keep_the_check_that_justified_them(ours: Desk) -> None:
    batch, lines = ours.checked(ours.url("news"), ours.url("arts"))
    taken = [ChosenLine(line.check.id, line.preferred) for line in lines]
    made = ours.checks.take(ours.library.ada, batch.id, taken, ours.common)
    assert [(one.title, one.language, one.state, one.origin) for one in made] == [
        ("The News", "fr", RecordState.PROPOSED, Origin.ENTRY),
        ("The Arts", "en", RecordState.PROPOSED, Origin.ENTRY),
    ]
    looks, running = ours.checks.of_record(made[0])
    evidence = looks[made[0].address]
    assert (evidence.id, evidence.status, evidence.final) == (made[0].check, 200, ours.url("news"))
    assert evidence.checked_at is not None
    assert not running
    assert made[0].responsible_name == "ada"


def test_what_does_not_answer_cannot_be_taken(ours: Desk) -> None:
    batch, lines = ours.checked(ours.url("broken"), ours.url("news"))
    for wrong in (
        ChosenLine(lines[0].check.id),
        ChosenLine(lines[1].check.id, "https://elsewhere.example/"),
        ChosenLine(999_999),
    ):
        with pytest.raises(Refused):
            ours.checks.take(ours.library.ada, batch.id, [ChosenLine(lines[1].check.id), wrong], ours.common)
    with pytest.raises(Refused):
        ours.checks.take(ours.library.ada, batch.id, [], ours.common)
    assert ours.checks.lines(batch.id)[1].check.record is None


def test_a_combination_that_the_matrix_refuses_makes_no_record(ours: Desk) -> None:
    batch, [line] = ours.checked(ours.url("news"))
    too_much = type(ours.common)(ours.common.theme, Budget.LARGE, Frequency.DAILY, Depth.DOMAIN)
    with pytest.raises(Refused, match="More than a crawler can do"):
        ours.checks.take(ours.library.ada, batch.id, [ChosenLine(line.check.id)], too_much)


def test_neighbours_and_other_collections_are_shown(ours: Desk) -> None:
    elsewhere = ours.library.record(ours.url("news"), ours.library.arts)
    near = ours.library.record(ours.url("near"), title="Nearby")
    batch, [line] = ours.checked(ours.url("news"))
    assert [one.id for one in line.elsewhere] == [elsewhere.id]
    assert [(one.id, one.name, one.collection_name) for one in line.beside] == [(near.id, "Nearby", "Press")]
    assert line.ticked
    ours.checks.take(ours.library.ada, batch.id, [ChosenLine(line.check.id)], ours.common)


def test_what_another_person_enters_meanwhile_is_known(ours: Desk) -> None:
    batch, [line] = ours.checked(ours.url("old"))
    there = ours.library.record(ours.url("new"))
    [now] = ours.checks.lines(batch.id)
    assert now.choices == (ours.url("old"),)
    assert now.here[ours.url("new")].id == there.id
    assert not now.ticked
    with pytest.raises(Known):
        ours.checks.take(
            ours.library.ada, batch.id, [ChosenLine(line.check.id, ours.url("new"))], ours.common
        )


def test_only_members_enter_take_and_check_again_and_attempts_are_logged(ours: Desk) -> None:
    library = ours.library
    batch, [line] = ours.checked(ours.url("news"))
    record = library.record(ours.url("arts"))
    attempts = (
        lambda: ours.checks.enter(library.ben, library.press.id, ours.url("x")),
        lambda: ours.checks.take(library.ben, batch.id, [ChosenLine(line.check.id)], ours.common),
        lambda: ours.checks.again(library.ben, record.id),
        lambda: ours.checks.go_on(library.ben, batch.id),
    )
    for attempt in attempts:
        with pytest.raises(Forbidden):
            attempt()
    found, _ = Audit(library.database).page(Question(action="selection.denied"), limit=10)
    assert [(one.actor, one.object_name) for one in found] == [("ben", "Press")] * len(attempts)
    assert ours.checks.lines(batch.id)[0].check.record is None


def test_an_address_is_checked_again_for_its_record(ours: Desk) -> None:
    record = ours.library.record(ours.url("news"))
    assert ours.checks.of_record(record) == ({}, False)
    batch = ours.checks.again(ours.library.ada, record.id)
    assert ours.checks.of_record(record) == ({}, True)
    ours.checks.run(batch.id)
    looks, running = ours.checks.of_record(record)
    assert (looks[record.address].state, running) == (LineState.FINE, False)
    del ours.answers["/news"]
    ours.checks.run(ours.checks.again(ours.library.ada, record.id).id)
    found = ours.checks.of_record(record)[0][record.address]
    assert (found.state, found.status) == (LineState.INVALID, 404)
    with pytest.raises(Refused):
        ours.checks.again(ours.library.ada, 999_999)


def test_a_record_is_validated_only_after_its_address_was_seen_to_answer(ours: Desk) -> None:
    library = ours.library
    for path, answers in (("news", True), ("nothing-there", False)):
        record = library.records.create(library.cora, Entered(library.draft(ours.url(path))))
        assert (record.state, record.checked_at) == (RecordState.PROPOSED, None)
        ours.checks.see(library.cora, record)
        for one in ours.checks_waiting():
            ours.checks.run(one)
        if answers:
            assert library.records.decide(library.cora, [record.id], RecordState.VALIDATED)[0].checked_at
        else:
            with pytest.raises(Refused, match="not been seen to answer"):
                library.records.decide(library.cora, [record.id], RecordState.VALIDATED)


def test_further_addresses_are_looked_at_and_one_that_is_dead_keeps_the_record_a_proposal(ours: Desk) -> None:
    library, news = ours.library, ours.url("news")
    further = (Further(ours.url("arts")), Further(ours.url("nothing-there"), "the feed"))
    made = library.records.create(library.cora, Entered(library.draft(news, further=further)))
    ours.checks.see(library.cora, made)
    ours.checks.see(library.cora, made)  # what is ordered is not ordered again
    [waiting] = ours.checks_waiting()
    ours.checks.run(waiting)
    seen = library.records.get(made.id)
    assert seen.unseen == (ours.url("nothing-there"),)
    states = {address: one.state for address, one in ours.checks.of_record(seen)[0].items()}
    assert states == {
        news: LineState.FINE,
        ours.url("arts"): LineState.FINE,
        further[1].address: LineState.INVALID,
    }
    with pytest.raises(Refused, match=r"further address .*/nothing-there has not been seen to answer"):
        library.records.decide(library.cora, [made.id], RecordState.VALIDATED)
    library.records.change_fields(library.cora, made.id, {"further": further[:1]})
    assert library.records.decide(library.cora, [made.id], RecordState.VALIDATED)[0].unseen == ()


def test_too_many_lines_and_none_are_refused(ours: Desk) -> None:
    for text in ("", " \n# nothing\n", "a.example\n" * (MOST_LINES + 1)):
        with pytest.raises(Refused):
            ours.checks.enter(ours.library.ada, ours.library.press.id, text)
    with pytest.raises(NotFound):
        ours.checks.enter(ours.library.cora, 999_999, "a.example")


def test_a_command_looks_without_keeping_anything(ours: Desk) -> None:
    found = ours.checks.look([ours.url("old"), "word word"])
    assert [one.verdict for one in found] == [Verdict.REDIRECTS, Verdict.INVALID]


def test_a_list_whose_task_is_gone_can_go_on(ours: Desk) -> None:
    batch = ours.checks.enter(ours.library.ada, ours.library.press.id, ours.url("news"))
    assert not ours.checks.is_stuck(batch.id)
    with ours.library.database.transaction() as connection:
        connection.execute(sa.text("DELETE FROM procrastinate_jobs"))
    assert ours.checks.is_stuck(batch.id)
    ours.checks.go_on(ours.library.ada, batch.id)
    assert not ours.checks.is_stuck(batch.id)


def test_what_led_to_no_record_is_forgotten_after_a_while(ours: Desk) -> None:
    batch, lines = ours.checked(ours.url("news"), ours.url("arts"))
    ours.checks.take(ours.library.ada, batch.id, [ChosenLine(lines[0].check.id)], ours.common)
    nothing, _ = ours.checked(ours.url("new"))
    assert ours.checks.forget() == 0
    with ours.library.database.transaction() as connection:
        connection.execute(sa.update(batches).values(created_at=clock.now() - timedelta(days=91)))
    assert ours.checks.forget() == 2
    assert [line.check.id for line in ours.checks.lines(batch.id)] == [lines[0].check.id]
    with pytest.raises(NotFound):
        ours.checks.batch(nothing.id)


def test_the_task_is_deferred_once_for_what_must_be_looked_at(ours: Desk) -> None:
    ours.library.record(ours.url("news"))
    ours.checks.enter(ours.library.ada, ours.library.press.id, ours.url("news"))
    with ours.library.database.transaction() as connection:
        count = sa.text("SELECT count(*) FROM procrastinate_jobs WHERE task_name = :name")
        assert connection.scalar(count, {"name": CHECK}) == 0
