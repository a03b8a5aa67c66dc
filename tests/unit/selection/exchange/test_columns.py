"""The table of columns is unambiguous in every language."""

from armarium.languages.catalogues import languages
from armarium.languages.speech import translate
from armarium.selection.exchange.columns import BY_KEY, COLUMNS, Read, known
from armarium.selection.exchange.parsing import READERS


def test_every_title_names_its_column_and_no_other() -> None:
    for code in languages():
        for column in COLUMNS:
            assert known(translate(column.title, code)) == column.key, (code, column.key)


def test_keys_are_read_however_they_are_spelt() -> None:
    for spelling in ("content_notes", "Content notes", "CONTENT-NOTES", " content notes "):
        assert known(spelling) == "content_notes"
    assert known("something else") is None


def test_every_column_that_is_imported_has_a_reader() -> None:
    assert set(READERS) == {key for key, column in BY_KEY.items() if column.read is not Read.NEVER}
