"""Every field of a question finds the records that it should, and no others."""

from dataclasses import fields, replace
from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import update

from armarium.core.errors import Refused
from armarium.db.database import Database
from armarium.selection.model import Budget, Depth, Frequency, Origin, RecordState
from armarium.selection.records.model import Further, Record
from armarium.selection.records.writing import Entered
from armarium.selection.search import queries
from armarium.selection.search.fields import Amounts, Days
from armarium.selection.search.model import ORDERS, Question
from armarium.selection.search.service import Search
from armarium.selection.tables import record as record_table
from tests.integration.selection.world import World, world

HARVESTED = datetime(2026, 3, 4, 5, 6, tzinfo=UTC)
MADE = datetime(2026, 2, 1, 12, 0, tzinfo=UTC)


def library(here: World) -> tuple[Record, Record]:
    """Two records that differ in everything: one to be found, one not to be."""
    wanted = replace(
        here.draft("https://www.musee-lyon.example.fr/fonds/"),
        title="Musée de Lyon",
        language="fr-CA",
        keywords=("Beaux-Arts", "patrimoine"),
        content_notes="Collections numérisées",
        technical_notes="Calendrier sans fin",
        budget=Budget.LARGE,
        frequency=Frequency.DAILY,
        depth=Depth.PATH,
        theme=here.press.themes[1].id,
        responsible=here.numbers["ada"],
        active=False,
        further=(Further("https://www.musee-lyon.example.fr/sitemap.xml"),),
    )
    one = here.records.create(here.ada, Entered(wanted, Origin.NOMINATION, check=7))
    blog = here.draft("https://blog.example.org/", here.arts, title="Blog", language="en")
    other = here.records.create(here.cora, Entered(blog, Origin.IMPORT))
    one = here.records.decide(here.cora, [one.id], RecordState.REFUSED, "Trop grand pour nous")[0]
    here.records.comment(here.ben, one.id, "Vu par un lecteur")
    with here.database.transaction() as connection:
        values = {
            "harvested_at": HARVESTED,
            "harvested_job": 12,
            "harvested_objects": 4000,
            "harvested_bytes": 10**9,
            "harvested_stop": "object-limit",
            "created_at": MADE,
            "modified_at": MADE + timedelta(days=1),
            "stated_at": MADE + timedelta(days=2),
        }
        connection.execute(update(record_table).where(record_table.c.id == one.id).values(**values))
    return one, other


#: For each field: values that find the first record and not the second, then values that find neither.
ASKED: dict[str, tuple[list[str], list[str]]] = {
    "q": (
        ["q=musee", "q=MUSÉE lyon", 'q="de lyon"', "q=patrimoine fonds", "q=numerisees"],
        ["q=musee blog", 'q="lyon de"'],
    ),
    "number": (["number=1"], ["number=77"]),
    "address": (["address=musee-lyon", "address=FONDS"], ["address=musée"]),
    "begins": (
        ["begins=musee-lyon.example.fr", "begins=http://musee-lyon.example.fr/fon"],
        ["begins=lyon.example.fr"],
    ),
    "further": (["further=sitemap"], ["further=robots"]),
    "host": (["host=www.musee-lyon.example.fr"], ["host=musee-lyon.example.fr"]),
    "domain": (["domain=example.fr"], ["domain=example.com"]),
    "title": (["title=musee de", "title=Lyon"], ["title=patrimoine"]),
    "collection": (
        ["collection=1", "collection=press", "collection=Press&collection=99"],
        ["collection=99", "collection=Presse"],
    ),
    "theme": (["theme=2", "theme=OPINION"], ["theme=1", "theme=News"]),
    "budget": (["budget=large", "budget=large&budget=medium"], ["budget=medium"]),
    "frequency": (["frequency=daily"], ["frequency=once"]),
    "depth": (["depth=path"], ["depth=domain"]),
    "state": (["state=refused", "state=refused&state=proposed"], ["state=proposed"]),
    "reason": (["reason=trop GRAND"], ["reason=petit"]),
    "active": (["active=no"], ["active=no&title=blog"]),
    "responsible": (
        ["responsible=me", "responsible=Ada", "responsible=ada&responsible=ben"],
        ["responsible=ben"],
    ),
    "language": (["language=fr", "language=FR-ca"], ["language=de", "language=unknown"]),
    "keyword": (["keyword=beaux-arts", "keyword=Patrimoine&keyword=BEAUX-ARTS"], ["keyword=beaux"]),
    "content_notes": (["content_notes=numérisées", "content_notes=numeris"], ["content_notes=calendrier"]),
    "technical_notes": (["technical_notes=sans fin"], ["technical_notes=collections"]),
    "origin": (["origin=nomination"], ["origin=api"]),
    "checked": (["checked=yes"], ["checked=yes&title=blog"]),
    "created": (
        ["created_from=2026-02-01&created_to=2026-02-01", "created_to=2026-02-01"],
        ["created_to=2026-01-31"],
    ),
    "created_by": (["created_by=ADA"], ["created_by=ben"]),
    "modified": (["modified_to=2026-02-02"], ["modified_to=2026-02-01"]),
    "modified_by": (["modified_by=cora&title=lyon"], ["modified_by=ada"]),
    "decided": (["decided_from=2026-02-03&decided_to=2026-02-03"], ["decided_to=2026-02-02"]),
    "decided_by": (["decided_by=cora&state=refused"], ["decided_by=ada"]),
    "was_harvested": (["was_harvested=yes"], ["was_harvested=yes&title=blog"]),
    "harvested": (["harvested_from=2026-03-04", "harvested_to=2026-03-04"], ["harvested_from=2026-03-05"]),
    "job": (["job=12"], ["job=13"]),
    "objects": (["objects_from=4000&objects_to=4000"], ["objects_from=4001"]),
    "bytes": (["bytes_from=1GB", "bytes_to=1000 MB"], ["bytes_from=2G"]),
    "stop": (["stop=object"], ["stop=time"]),
    "has_further": (["has_further=yes"], ["has_further=yes&title=blog"]),
    "has_comments": (["has_comments=yes"], ["has_comments=yes&title=blog"]),
    "comment": (["comment=LECTEUR"], ["comment=curator"]),
    "edition": (["edition_from=2"], ["edition_from=9"]),
}


def test_the_table_of_this_test_has_every_field() -> None:
    assert set(ASKED) == {one.name for one in fields(Question)} - {"order"}


def test_every_field_finds_and_does_not_find(database: Database) -> None:
    here = world(database)
    one, other = library(here)
    search = Search(database)
    numbers = {"number=1": f"number={one.id}", "collection=1": f"collection={here.press.id}"}
    numbers |= {"theme=2": f"theme={here.press.themes[1].id}", "theme=1": f"theme={here.press.themes[0].id}"}
    for name, (finding, not_finding) in ASKED.items():
        for query in finding:
            found = search.numbers(Question.parse(numbers.get(query, query)), here.numbers["ada"])
            assert found == [one.id], (name, query)
        for query in not_finding:
            question = Question.parse(numbers.get(query, query))
            assert search.numbers(question, here.numbers["ada"]) == [], (name, query)
    assert set(search.numbers(Question())) == {one.id, other.id}


def test_what_is_answered_no_is_found_on_the_other_side(database: Database) -> None:
    here = world(database)
    _, other = library(here)
    search = Search(database)
    for query in ("active=yes", "checked=no", "was_harvested=no", "has_further=no", "has_comments=no"):
        assert search.numbers(Question.parse(query)) == [other.id], query
    assert search.numbers(Question.parse("responsible=nobody")) == [other.id]
    assert search.numbers(Question.parse("responsible=me"), None) == []


def test_every_order_gives_every_record_both_ways(database: Database) -> None:
    here = world(database)
    both = {one.id for one in library(here)}
    search = Search(database)
    for name in ORDERS:
        for order in (name, f"-{name}"):
            assert set(search.numbers(Question(order=order))) == both, order
    assert [one.title for one in search.page(Question(order="title"), limit=9)] == ["Blog", "Musée de Lyon"]
    assert search.page(Question(order="budget"), limit=1)[0].budget is Budget.SMALL
    assert search.page(Question(order="-budget"), limit=1)[0].budget is Budget.LARGE
    assert search.numbers(Question(order="-harvested"))[0] != search.numbers(Question(order="-created"))[0]


def test_a_page_says_how_many_there_are_and_how_they_are_divided(database: Database) -> None:
    here = world(database)
    one, other = library(here)
    found = Search(database).found(Question(order="number"), limit=1)
    assert [record.id for record in found.records] == [one.id]
    assert found.total == 2
    assert found.facets["collection"] == {here.press.id: 1, here.arts.id: 1}
    assert found.facets["state"] == {"refused": 1, "validated": 1}
    assert found.facets["responsible"] == {here.numbers["ada"]: 1, None: 1}
    assert found.facets["active"] == {True: 1, False: 1}
    second = Search(database).found(Question(order="number"), limit=1, offset=1)
    assert [record.id for record in second.records] == [other.id]
    nothing = Search(database).found(Question(title="nothing of this"), limit=5)
    assert (nothing.records, nothing.total) == ([], 0)


@pytest.mark.parametrize("most", [20_000, 0])
def test_what_is_dear_to_find_is_found_the_same_at_once_and_by_itself(
    database: Database, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """`most`: whether the numbers that were found are kept for facets and page, or too many for that."""
    here = world(database)
    library(here)
    monkeypatch.setattr(queries, "MOST_NUMBERS", most)
    search, me = Search(database), here.numbers["ada"]
    for name in queries.DEAR:
        for query in ASKED[name][0]:
            question = Question.parse(f"{query}&order=-title")
            found = search.found(question, me, limit=5)
            assert [one.id for one in found.records] == search.numbers(question, me), query
            assert found.total == sum(found.facets["state"].values()) == search.count(question, me), query


def test_days_are_those_of_the_readers_calendar(database: Database) -> None:
    here = world(database)
    one, _ = library(here)
    question = Question(created=Days(date(2026, 2, 1), date(2026, 2, 1)), objects=Amounts(1, None))
    assert Search(database).numbers(question) == [one.id]


def test_signs_of_patterns_are_looked_for_as_they_are(database: Database) -> None:
    here = world(database)
    library(here)
    for text in ("%", "_", "100%", "\\"):
        assert Search(database).numbers(Question(title=text)) == []


def test_a_wrong_value_is_refused_by_its_name() -> None:
    for query, field in (
        ("budget=huge", "budget"),
        ("created_from=yesterday", "created_from"),
        ("objects_to=many", "objects_to"),
        ("collection=0", "collection"),
        ("active=perhaps", "active"),
        ("order=colour", "order"),
        ("number=0", "number"),
    ):
        with pytest.raises(Refused) as refused:
            Question.parse(query)
        assert refused.value.field == field


def test_very_long_notes_are_saved_and_found(database: Database) -> None:
    """To find a character PostgreSQL counts from the beginning: done for each one, it took seconds."""
    here = world(database)
    notes = "mot " * 4900 + "aiguille"
    one = here.record("https://long.example.org/", content_notes=notes, technical_notes=notes)
    assert Search(database).numbers(Question(q="aiguille")) == [one.id]
