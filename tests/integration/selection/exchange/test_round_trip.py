"""What is exported and imported again changes nothing, whatever stands in it."""

import csv
import io
from collections.abc import Callable

import pytest
from python_calamine import CalamineWorkbook

from armarium.core.errors import Refused
from armarium.db.database import Database
from armarium.languages.speech import speaking
from armarium.selection.exchange.columns import COLUMNS, chosen
from armarium.selection.exchange.exporting import Exports, Format
from armarium.selection.exchange.model import ImportState, Mode
from armarium.selection.model import RecordState
from armarium.selection.records.model import Further
from armarium.selection.search.model import Question
from tests.integration.selection.exchange.desk import Desk, desk

ALL = Question(order="number")


def difficult(it: Desk) -> list[int]:
    """Records with everything that a file could lose."""
    world = it.world
    one = world.record(
        "https://one.example/a;b,c?x=1&y='z'",
        title='=HYPERLINK("http://evil.example";"Click"), -1; @x',
        language="pt-BR",
        keywords=("-minus", "a;b", "'=quoted", "c,d"),
        content_notes='+1; -2\n=SUM(A1)\n"quoted", @here\n\n  indented',
        technical_notes="'apostrophe",
        responsible=world.numbers["ada"],
        active=False,
        further=(
            Further("https://one.example/sitemap.xml", "= all pages"),
            Further("https://x.example/;a", ""),
        ),
    )
    two = world.record("http://two.example/", world.arts, keywords=("one;",), theme=world.arts.themes[0].id)
    three = world.record("http://three.example/", keywords=("a", "b"))
    world.records.decide(world.cora, [three.id], RecordState.REFUSED, "-- gone; =now")
    return [one.id, two.id, three.id]


def exported(it: Desk, kind: Format, question: Question = ALL, *keys: str, titles: bool = False) -> bytes:
    exports = Exports(it.world.database)
    columns = chosen(keys)
    return b"".join(exports.pieces(exports.numbers(question), kind, columns, titles=titles))


@pytest.mark.parametrize("kind", Format)
@pytest.mark.parametrize("titles", [False, True])
def test_an_export_imported_again_changes_nothing(database: Database, kind: Format, titles: bool) -> None:
    it = desk(database)
    numbers = difficult(it)
    before = [it.world.records.get(number) for number in numbers]
    with speaking("fr"):
        content = exported(it, kind, titles=titles)
    done = it.hand_in(content, Mode.ALL, by=it.world.cora, name=f"x.{kind}")
    assert [(one.line, one.column, str(one.text)) for one in it.faults(done)] == []
    assert done.state is ImportState.IMPORTED
    assert (done.counts.unchanged, done.counts.good) == (3, 0)
    assert [it.world.records.get(number) for number in numbers] == before


def test_without_numbers_new_records_are_as_the_old_ones(database: Database) -> None:
    it = desk(database)
    before = it.world.records.get(difficult(it)[0])
    keys = [one.key for one in COLUMNS if one.key not in {"number", "collection", "theme"}]
    content = exported(it, Format.CSV, Question(number=(before.id,)), *keys)
    done = it.hand_in(content, Mode.ALL, by=it.world.cora, collection=it.world.arts)
    assert it.faults(done)[0].column == "theme"  # the collection has no usual one
    text = content.decode().replace("address;", "address;theme;", 1)
    text = text.replace(";\"'=HYPER", ";Music;\"'=HYPER", 1)
    done = it.hand_in(text, Mode.ALL, by=it.world.cora, collection=it.world.arts)
    assert done.counts.created == 1, it.faults(done)
    made = it.world.records.get(max(Exports(database).numbers(ALL)))
    same = ("address", "title", "keywords", "content_notes", "technical_notes", "further", "responsible")
    assert [getattr(made, name) for name in same] == [getattr(before, name) for name in same]


def test_no_cell_of_an_export_is_a_formula(database: Database) -> None:
    it = desk(database)
    difficult(it)
    content = exported(it, Format.CSV)
    assert content.startswith(b"\xef\xbb\xbf")
    for separator in ";,\t|":
        for row in csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), delimiter=separator):
            assert not [cell for cell in row if cell.strip(' "\t\r\n').startswith(("=", "+", "-", "@"))]
    book = CalamineWorkbook.from_filelike(io.BytesIO(exported(it, Format.XLSX)))
    rows = book.get_sheet_by_index(0).to_python()
    assert rows[1][3] == '=HYPERLINK("http://evil.example";"Click"), -1; @x'  # a text, as it was


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (lambda numbers: Question(state=(RecordState.REFUSED,)), [2]),
        (lambda numbers: Question(order="-number"), [2, 1, 0]),
        (lambda numbers: Question(number=(numbers[1],)), [1]),
    ],
)
def test_an_export_has_what_a_search_finds_in_its_order(
    database: Database, asked: Callable[[list[int]], Question], found: list[int]
) -> None:
    it = desk(database)
    numbers = difficult(it)
    text = exported(it, Format.CSV, asked(numbers), "number", "address").decode("utf-8-sig")
    lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=";"))
    assert lines[0] == ["number", "address"]
    assert [int(line[0]) for line in lines[1:]] == [numbers[place] for place in found]


def test_a_cell_that_excel_cannot_hold_is_not_cut(database: Database) -> None:
    it = desk(database)
    further = tuple(Further(f"https://long.example/{n}/{'x' * 1000}") for n in range(50))
    it.world.record("https://long.example/", further=further)
    with pytest.raises(Refused, match="Export it as CSV"):
        exported(it, Format.XLSX)
    done = it.hand_in(exported(it, Format.CSV), by=it.world.cora)
    assert (done.counts.unchanged, done.counts.refused) == (1, 0)


def test_an_unknown_column_is_named() -> None:
    with pytest.raises(Refused, match="no column colour"):
        chosen(["number,colour"])
