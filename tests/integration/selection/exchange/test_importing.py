"""Files of records are tried, then taken in: all of what is wanted of them, or nothing."""

import pytest

from armarium.core.errors import Refused
from armarium.db.database import Database
from armarium.selection.exchange.model import ImportState, Mode
from armarium.selection.model import Budget, Frequency, Origin, RecordState
from armarium.selection.records import queries
from armarium.selection.records.model import Further, Record
from armarium.selection.records.writing import Entered
from armarium.selection.tables import record
from tests.integration.selection.exchange.desk import Desk, desk


def records(it: Desk) -> list[Record]:
    with it.world.database.transaction() as connection:
        return queries.read(connection, queries.selected().order_by(record.c.id))


def test_a_trial_counts_and_changes_nothing(database: Database) -> None:
    it = desk(database)
    known = it.world.record("https://known.example/", title="Known")
    text = "address;title\nhttps://new.example/;New\nknown.example;Other\n"
    tried = it.hand_in(text + f"{known.address}x;\n")
    assert tried.state is ImportState.TRIED
    assert (tried.counts.created, tried.counts.changed, tried.counts.refused) == (2, 1, 0)
    assert [one.title for one in records(it)] == ["Known"]


def test_lines_make_and_change_records_by_number_and_by_address(database: Database) -> None:
    it = desk(database)
    first = it.world.record("https://first.example/", title="First", content_notes="Keep")
    second = it.world.record("https://second.example/", title="Second")
    text = (
        "number,address,title,theme,budget,frequency,keywords,active,responsible,further addresses\n"
        f"{first.id},https://first.example/new,Prime,Opinion,large,weekly,a; b,no,ada,"
        '"https://first.example/map all pages"\n'
        ",second.example,Two,,,,,,,\n"
        ",third.example,Three,,,,,,,\n"
    )
    done = it.hand_in(text, Mode.ALL, by=it.world.cora)
    assert done.state is ImportState.IMPORTED
    assert (done.counts.created, done.counts.changed) == (1, 2)
    one, two, three = records(it)
    assert (one.address, one.title, one.theme_name) == ("https://first.example/new", "Prime", "Opinion")
    assert (one.budget, one.frequency, one.keywords) == (Budget.LARGE, Frequency.WEEKLY, ("a", "b"))
    assert (one.active, one.responsible_name, one.content_notes) == (False, "ada", "Keep")
    assert one.further == (Further("https://first.example/map", "all pages"),)
    assert (two.id, two.title, two.budget) == (second.id, "Two", second.budget)
    assert (three.title, three.origin, three.theme_name) == ("Three", Origin.IMPORT, "News")


def test_what_librarians_import_is_proposed_what_curators_do_is_validated(database: Database) -> None:
    it = desk(database)
    it.hand_in("address\na.example\n", Mode.ALL)
    it.hand_in("address\nb.example\n", Mode.ALL, by=it.world.cora)
    assert [one.state for one in records(it)] == [RecordState.PROPOSED, RecordState.VALIDATED]


def test_curators_decide_by_import_and_others_do_not(database: Database) -> None:
    it = desk(database)
    known = it.world.record("https://known.example/")
    text = f"number;address;state;reason\n{known.id};;refused;Gone\n;new.example;proposed;\n"
    ignored = it.hand_in(text, by=it.world.ada)
    assert (ignored.counts.unchanged, ignored.counts.created) == (1, 1)
    assert any("only curators" in str(note) for note in ignored.notes)
    it.hand_in(text, Mode.ALL, by=it.world.cora)
    assert [(one.state, one.state_reason) for one in records(it)] == [
        (RecordState.REFUSED, "Gone"),
        (RecordState.PROPOSED, ""),
    ]


def test_a_new_address_makes_a_proposal_of_its_record_whatever_the_file_says(database: Database) -> None:
    it = desk(database)
    good = it.world.record("https://good.example/")
    seen = it.world.record("https://seen.example/", by=it.world.ada)
    old = it.world.records.create(it.world.cora, Entered(it.world.draft("old.example"), Origin.IMPORT))
    text = (
        "number;address;title;state;reason\n"
        f"{good.id};;Good;validated;\n"
        f"{seen.id};new.example;Seen;validated;Wanted\n"
        f"{old.id};newer.example;Old;validated;\n"
    )
    tried = it.hand_in(text, by=it.world.cora)
    assert (tried.counts.changed, tried.counts.refused) == (3, 0)
    assert "proposals until it was seen to answer: 3, 4." in str(tried.notes[0])
    assert it.checks_waiting() == []
    done = it.hand_in(text, Mode.ALL, by=it.world.cora)
    assert (done.state, it.faults(done), done.notes) == (ImportState.IMPORTED, [], tried.notes)
    assert [(one.title, one.state, one.unseen) for one in records(it)] == [
        ("Good", RecordState.VALIDATED, ()),
        ("Seen", RecordState.PROPOSED, ("http://new.example/",)),
        ("Old", RecordState.PROPOSED, ("http://newer.example/",)),
    ]
    assert it.checks_waiting() == ["http://new.example/", "http://newer.example/"]


def test_what_was_not_seen_to_answer_is_not_validated_by_an_import(database: Database) -> None:
    it = desk(database)
    further = (Further("https://dead.example/map"),)
    one = it.world.records.create(
        it.world.cora, Entered(it.world.draft("dead.example", further=further), check=1)
    )
    text = f"number;title;state\n{one.id};Dead;validated\n"
    done = it.hand_in(text, Mode.GOOD, by=it.world.cora)
    assert "https://dead.example/map has not been seen to answer" in str(it.fault(done).text)
    without = f"number;further_addresses;state\n{one.id};;validated\n"
    assert it.hand_in(without, Mode.ALL, by=it.world.cora).state is ImportState.IMPORTED
    assert it.world.records.get(one.id).state is RecordState.VALIDATED


def test_if_all_must_be_good_one_bad_line_keeps_all_out(database: Database) -> None:
    it = desk(database)
    text = "address;depth\ngood.example;host\nbad.example;deep\n"
    done = it.hand_in(text, Mode.ALL)
    assert done.state is ImportState.REFUSED
    assert done.error is not None
    assert records(it) == []
    assert it.fault(done).line == 3
    it.imports.order(it.world.ada, done.id, Mode.GOOD)
    again = it.imports.run(done.id)
    assert (again.state, again.counts.created, again.counts.refused) == (ImportState.IMPORTED, 1, 1)
    assert [one.host for one in records(it)] == ["good.example"]


def test_a_file_is_imported_once(database: Database) -> None:
    it = desk(database)
    done = it.hand_in("address\na.example\n", Mode.ALL)
    it.imports.run(done.id)  # as a task that is run again
    with pytest.raises(Refused, match="imported already"):
        it.imports.order(it.world.ada, done.id, Mode.ALL)
    assert len(records(it)) == 1


def test_a_record_moves_to_a_collection_that_has_its_theme(database: Database) -> None:
    it = desk(database)
    one = it.world.record("https://one.example/")
    two = it.world.record("https://two.example/")
    it.world.record("https://two.example/", it.world.arts)
    text = f"number;collection;theme\n{one.id};Arts;Music\n{two.id};Arts;Music\n"
    done = it.hand_in(text, Mode.GOOD, by=it.world.cora)
    assert (done.counts.changed, done.counts.refused) == (1, 1)
    assert "already" in str(it.fault(done).text)
    assert records(it)[0].collection_name == "Arts"
    assert len(it.log("record.moved")) == 1


def test_every_change_is_in_the_history_and_the_import_in_the_log(database: Database) -> None:
    it = desk(database)
    known = it.world.record("https://known.example/", title="Before")
    it.hand_in(f"number;address;title\n{known.id};;After\n;new.example;\n", Mode.ALL)
    [changed] = it.log("record.changed")
    assert (changed.before["title"], changed.after["title"]) == ("Before", "After")
    [whole] = it.log("records.imported")
    assert (whole.actor, whole.after["created"], whole.after["changed"]) == ("ada", 1, 1)


def test_files_are_cleared_after_a_month_and_reports_stay(database: Database) -> None:
    it = desk(database)
    done = it.hand_in("address\na.example\n")
    assert it.imports.clear() == 0
    with database.transaction() as connection:
        connection.exec_driver_sql("UPDATE selection_import SET created_at = now() - interval '31 days'")
    assert it.imports.clear() == 1
    assert not it.imports.get(done.id).file_kept
    with pytest.raises(Refused, match="cleared"):
        it.imports.order(it.world.ada, done.id, Mode.ALL)
