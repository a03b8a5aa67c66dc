"""The audit log: final, searchable, and safe to open in a spreadsheet."""

import csv
import io
from datetime import UTC, date, timedelta

import psycopg
import pytest
import sqlalchemy as sa

from armarium.accounts.model import Role
from armarium.audit.model import Question
from armarium.audit.service import Audit, Subject, record
from armarium.core.actor import SYSTEM, Actor, Via
from armarium.core.clock import now
from armarium.db.database import Database
from tests.integration.web.steps import enter
from tests.site import RunningSite

ADA = Actor("ada", Via.PAGE, account=7, address="192.0.2.1")


def write(database: Database, action: str = "thing.changed", *, actor: Actor = ADA, name: str = "x") -> None:
    with database.transaction() as connection:
        record(connection, actor, action, Subject("thing", 5, name), before={"a": 1}, after={"a": 2})


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit SET actor = 'nobody'",
        "UPDATE audit SET actor = 'nobody' WHERE false",
        "DELETE FROM audit",
        "TRUNCATE audit",
        "INSERT INTO audit OVERRIDING SYSTEM VALUE SELECT * FROM audit"
        " ON CONFLICT (id) DO UPDATE SET actor = 'nobody'",
        "MERGE INTO audit USING (SELECT 1) ON true WHEN MATCHED THEN DELETE",
    ],
)
def test_the_database_refuses_to_rewrite_the_log(database: Database, statement: str) -> None:
    write(database)
    with pytest.raises(sa.exc.DBAPIError) as refused, database.transaction() as connection:
        connection.execute(sa.text(statement))
    assert isinstance(refused.value.orig, psycopg.errors.InsufficientPrivilege)
    [entry], total = Audit(database).page(Question(), limit=10)
    assert (entry.actor, total) == ("ada", 1)


def test_an_entry_belongs_to_the_transaction_of_its_change(database: Database) -> None:
    def change_and_fail() -> None:
        with database.transaction() as connection:
            record(connection, ADA, "thing.changed", Subject("thing", 5, "x"))
            raise LookupError

    with pytest.raises(LookupError):
        change_and_fail()
    assert Audit(database).page(Question(), limit=10) == ([], 0)


def test_an_entry_says_who_what_when_from_to_by_which_way_and_from_where(database: Database) -> None:
    write(database)
    [entry], _ = Audit(database).page(Question(), limit=10)
    assert (entry.actor, entry.account, entry.via, entry.address) == ("ada", 7, Via.PAGE, "192.0.2.1")
    assert (entry.action, entry.object_kind, entry.object_id, entry.object_name) == (
        "thing.changed",
        "thing",
        "5",
        "x",
    )
    assert entry.differences() == [("a", 1, 2)]
    assert now() - entry.at < timedelta(minutes=1)


def test_questions_narrow_the_log(database: Database) -> None:
    write(database, "thing.changed", name="One 100%")
    write(database, "thing.changed_back", name="two")
    write(database, "other", actor=SYSTEM, name="one_hundred")
    audit, today = Audit(database), now().astimezone(UTC).date()

    def found(**wanted: object) -> list[str]:
        entries, total = audit.page(Question(**wanted), limit=10)  # type: ignore[arg-type]
        assert total == len(entries)
        return [entry.object_name for entry in entries]

    assert found() == ["one_hundred", "two", "One 100%"]  # newest first
    assert found(actor="ada") == ["two", "One 100%"]
    assert found(action="thing.changed") == ["two", "One 100%"]
    assert found(object_name="ONE") == ["one_hundred", "One 100%"]
    assert found(object_name="%") == ["One 100%"]  # no wild card
    assert found(object_name="e_h") == ["one_hundred"]
    assert found(since=today, until=today, actor="armarium") == ["one_hundred"]
    assert found(until=today - timedelta(days=1)) == []
    assert found(since=today + timedelta(days=1)) == []
    assert len(found(since=date.min, until=date.max)) == 3
    assert found(object_kind="thing", object_id="5", actor="nobody") == []
    assert audit.page(Question(), limit=1, offset=1)[0][0].object_name == "two"


def test_the_page_and_the_api_ask_the_same_questions(site: RunningSite) -> None:
    chief = enter(site, "chief", Role.ADMINISTRATOR)
    write(site.house.database, "thing.changed", name="needle")
    for query, hits in (("who=ada", 1), ("action=thing", 1), ("object=need", 1), ("who=nobody", 0)):
        assert chief.get(f"/api/audit?{query}").json()["total"] == hits
        assert ("needle" in chief.get(f"/administration/audit?{query}").text) is bool(hits)
        lines = chief.get(f"/administration/audit.csv?{query}").text.splitlines()
        assert len(lines) == 1 + hits
    assert "is not a date" in chief.get("/administration/audit?from=yesterday").text


def test_a_value_is_named_as_the_room_that_wrote_it_names_it(site: RunningSite) -> None:
    """The pattern of an access rule is an address; that of a mapping, the name of a configuration."""
    chief = enter(site, "chief", Role.ADMINISTRATOR)
    with site.house.database.transaction() as connection:
        rule = Subject("access-rule", 1, "needle")
        record(connection, ADA, "access-rule.made", rule, after={"pattern": "www.example.org/news"})
    page = chief.get("/administration/audit?object=needle").text
    assert "Address:" in page
    assert "Name of the configuration" not in page


def test_no_cell_of_the_export_starts_a_formula(site: RunningSite) -> None:
    chief = enter(site, "chief", Role.ADMINISTRATOR)
    attacks = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", '=HYPERLINK("http://evil")', '"=1', "a,b\n=1")
    for attack in attacks:
        hostile = Actor(attack, Via.PAGE, address=attack)
        with site.house.database.transaction() as connection:
            subject = Subject(attack, attack, attack)
            record(connection, hostile, attack, subject, before={attack: attack}, after={attack: [attack]})
    answer = chief.get("/administration/audit.csv")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="audit.csv"'
    table = list(csv.reader(io.StringIO(answer.text, newline="")))
    assert {len(row) for row in table} == {11}
    cells = [cell for row in table for cell in row]
    assert sum("1" in cell for cell in cells) >= len(attacks)
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]


def test_a_long_log_is_exported_whole(site: RunningSite) -> None:
    chief = enter(site, "chief", Role.ADMINISTRATOR)
    with site.house.database.transaction() as connection:
        connection.execute(
            sa.text(
                "INSERT INTO audit"
                " (at, actor, via, action, object_kind, object_id, object_name, before, after)"
                " SELECT now(), 'ada', 'page', 'x', 'thing', n, n, '{}', '{}' FROM generate_series(1, 2500) n"
            )
        )
    lines = chief.get("/administration/audit.csv?who=ada").text.splitlines()
    assert len(lines) == 2501
    assert len(set(lines)) == 2501
