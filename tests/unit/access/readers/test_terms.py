"""The terms of use: from the settings, or from files in several languages."""

from pathlib import Path

import pytest

from armarium.access.readers.identification import Terms
from armarium.access.settings import AccessSettings
from armarium.core.errors import Misconfigured


def test_without_terms_none_are_wanted() -> None:
    terms = Terms(AccessSettings())
    assert not terms.wanted
    assert terms.mark == ""


def test_terms_of_the_settings_are_the_same_in_every_language() -> None:
    terms = Terms(AccessSettings(terms="Do not copy.\n\nDo not shout."))
    assert terms.paragraphs("en") == terms.paragraphs("fr") == ["Do not copy.", "Do not shout."]


def test_files_beside_the_terms_are_those_of_other_languages(tmp_path: Path) -> None:
    (tmp_path / "terms.txt").write_text("Do not copy.", encoding="utf-8")
    (tmp_path / "terms.fr.txt").write_text("Ne copiez pas à la légère.", encoding="utf-8")
    terms = Terms(AccessSettings(terms_file=tmp_path / "terms.txt"))
    assert terms.paragraphs("fr") == ["Ne copiez pas à la légère."]
    assert terms.paragraphs("de") == ["Do not copy."]


def test_new_terms_have_another_mark() -> None:
    assert Terms(AccessSettings(terms="One.")).mark != Terms(AccessSettings(terms="Two.")).mark


def test_a_file_that_is_not_there_is_named_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match=r"terms\.txt"):
        Terms(AccessSettings(terms_file=tmp_path / "terms.txt"))
