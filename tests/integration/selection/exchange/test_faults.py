"""Every bad line is named, with its column and what to do."""

import pytest

from armarium.core.actor import SYSTEM
from armarium.db.database import Database
from armarium.selection.collections.model import Choices
from armarium.selection.exchange.model import Import, ImportState, Mode
from tests.integration.selection.exchange.desk import Desk, desk


def named(it: Desk, done: Import) -> list[tuple[int, str]]:
    return [(one.line, one.column) for one in it.faults(done)]


BAD_LINES = {
    "no address": ("title\tnumber\naha\t\n", "address", "Enter an address"),
    "not one": ("address\nhttp://[\n", "address", "no address of a web site"),
    "another scheme": ("address\nftp://a.example/\n", "address", "no address"),
    "a password": ("address\nhttps://me:secret@a.example/\n", "address", "password"),
    "unknown number": ("number\n99\n", "number", "no record with the number 99"),
    "no number": ("number\ntwelve\n", "number", "no number of a record"),
    "unknown collection": ("address;collection\na.example;Maps\n", "collection", "no collection named Maps"),
    "unknown theme": ("address;theme\na.example;Music\n", "theme", "News, Opinion"),
    "unknown budget": ("address;budget\na.example;huge\n", "budget", "small, medium, large"),
    "unknown frequency": ("address;frequency\na.example;hourly\n", "frequency", "daily, weekly"),
    "unknown depth": ("address;depth\na.example;deep\n", "depth", "page, page+1"),
    "matrix": ("address;budget;frequency;depth\na.example;large;daily;domain\n", "budget", "More than a"),
    "language": ("address;language\na.example;French!\n", "language", "as a code"),
    "title": (f"address;title\na.example;{'x' * 501}\n", "title", "at most 500"),
    "keyword": (f"address;keywords\na.example;{'x' * 101}\n", "keywords", "keywords"),
    "responsible": ("address;responsible\na.example;nobody\n", "responsible", "no account nobody"),
    "active": ("address;active\na.example;perhaps\n", "active", "yes or no"),
    "further": ("address;further addresses\na.example;http://[\n", "further_addresses", "no address"),
    "nul": ("address;title\na.example;a\0b\n", "title", "NUL"),
    "too many cells": ("address;title\na.example;A;B\n", "", "more cells than the header"),
}


@pytest.mark.parametrize("kind", BAD_LINES)
def test_a_bad_line_is_named_with_its_column(database: Database, kind: str) -> None:
    it = desk(database)
    text, column, said = BAD_LINES[kind]
    done = it.hand_in(text)
    fault = it.fault(done)
    assert (fault.line, fault.column) == (2, column)
    assert said in str(fault.text)
    assert (done.counts.lines, done.counts.refused, done.counts.created) == (1, 1, 0)


def test_all_that_is_wrong_in_a_line_is_said_at_once(database: Database) -> None:
    it = desk(database)
    done = it.hand_in("address;budget;depth;active\nhttp://[;huge;deep;perhaps\n")
    assert named(it, done) == [(2, "budget"), (2, "depth"), (2, "active"), (2, "address")]
    assert done.counts.refused == 1


def test_lines_about_the_same_record_are_found(database: Database) -> None:
    it = desk(database)
    known = it.world.record("https://known.example/")
    done = it.hand_in(
        "number;address;title\n"
        ";new.example;A\n"
        ";http://www.new.example/;B\n"
        f"{known.id};;C\n"
        ";known.example;D\n"
        f"{known.id};other.example;E\n"
    )
    assert named(it, done) == [(3, "address"), (5, "number"), (6, "number")]
    assert "Line 2" in str(it.faults(done)[0].text)


def test_an_address_that_another_record_has_is_refused(database: Database) -> None:
    it = desk(database)
    first, second = it.world.record("https://one.example/"), it.world.record("https://two.example/")
    done = it.hand_in(f"number;address\n{first.id};{second.address}\n")
    assert f"record {second.id}" in str(it.fault(done).text)


def test_a_closed_collection_takes_no_new_records(database: Database) -> None:
    it = desk(database)
    it.world.collections.create(SYSTEM, Choices("Closed", active=False), themes=["All"])
    done = it.hand_in("address;collection;theme\na.example;Closed;All\n", by=it.world.cora)
    assert it.fault(done).column == "collection"


def test_a_curator_who_refuses_says_why(database: Database) -> None:
    it = desk(database)
    done = it.hand_in("address;state\na.example;refused\n", by=it.world.cora)
    assert it.fault(done).column == "reason"


def test_spreadsheets_number_the_lines(database: Database) -> None:
    """Empty lines count, and a cell of several lines is one."""
    it = desk(database)
    done = it.hand_in('address;content_notes;depth\n\na.example;"one\ntwo";host\n;;\nb.example;;deep\n')
    assert named(it, done) == [(5, "depth")]
    assert done.counts.lines == 2


def test_thirty_bad_lines_are_thirty_faults(database: Database) -> None:
    it = desk(database)
    done = it.hand_in("address\n" + "http://[\n" * 2500, Mode.GOOD)
    assert [one.line for one in it.faults(done)] == list(range(2, 2502))
    assert done.state is ImportState.IMPORTED


def test_a_librarian_changes_nothing_elsewhere_and_each_collection_is_logged_once(database: Database) -> None:
    it = desk(database)
    hers = it.world.record("https://hers.example/", title="Hers")
    his = it.world.record(
        "https://his.example/", it.world.arts, title="His", theme=it.world.arts.themes[0].id
    )
    text = (
        "number;collection;address;theme;title\n"
        f"{hers.id};;;;New title\n"
        f"{his.id};;;;Taken\n"
        ";Arts;new.example;Music;New\n"
        f"{hers.id + 100};;;;Nothing\n"
        f";Arts;{his.address};Music;His\n"
    )
    tried = it.hand_in(text)
    assert named(it, tried) == [(3, "collection"), (4, "collection"), (5, "number"), (6, "number")]
    assert [one.object_name for one in it.log("selection.denied")] == ["Arts"]
    it.imports.order(it.world.ada, tried.id, Mode.GOOD)
    done = it.imports.run(tried.id)
    assert (done.counts.changed, done.counts.created) == (1, 0)
    assert it.world.records.get(his.id).title == "His"
    assert it.world.records.get(hers.id).title == "New title"
    assert len(it.log("selection.denied")) == 1


def test_whoever_orders_somebody_elses_file_is_logged_for_themselves(database: Database) -> None:
    it = desk(database)
    mine = it.world.record("https://hers.example/", title="Hers")
    tried = it.hand_in(f"number;title\n{mine.id};Taken\n", by=it.world.ben, collection=it.world.arts)
    assert [one.actor for one in it.log("selection.denied")] == ["ben"]
    it.world.collections.set_members(it.world.cora.actor, it.world.press.id, [])
    it.imports.order(it.world.ada, tried.id, Mode.GOOD)
    assert it.imports.run(tried.id).counts.changed == 0
    assert sorted(one.actor for one in it.log("selection.denied")) == ["ada", "ben"]


def test_an_attempt_on_a_line_that_is_wrong_besides_is_logged(database: Database) -> None:
    it = desk(database)
    music = it.world.arts.themes[0].id
    his = it.world.record("https://his.example/", it.world.arts, theme=music)
    other = it.world.record("https://other.example/", it.world.arts, theme=music)
    tried = it.hand_in(f"number;address\n{his.id};{other.address}\n")
    assert tried.counts.refused == 1
    assert [one.object_name for one in it.log("selection.denied")] == ["Arts"]


def test_what_she_reads_elsewhere_and_leaves_as_it_is_is_no_attempt(database: Database) -> None:
    it = desk(database)
    his = it.world.record(
        "https://his.example/", it.world.arts, title="His", theme=it.world.arts.themes[0].id
    )
    tried = it.hand_in(f"number;title\n{his.id};His\n")
    assert (tried.counts.unchanged, tried.counts.refused) == (1, 0)
    assert it.log("selection.denied") == []
