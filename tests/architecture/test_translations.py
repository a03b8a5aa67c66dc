"""Every sentence of the source is said in every language, and a new language is one more file."""

import runpy
import shutil
from pathlib import Path
from typing import Any

import pytest

from armarium.core.message import message
from armarium.languages.catalogues import languages, read_languages
from armarium.languages.speech import translate

TOOL = Path(__file__).parents[2] / "tools" / "translations.py"
CATALOGUES = Path(__file__).parents[2] / "src" / "armarium" / "languages" / "catalogues"
CODES = sorted(file.stem for file in CATALOGUES.glob("*.po"))

POLISH = """\
msgid ""
msgstr ""
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);\\n"

msgid "Sign in"
msgstr "Zaloguj się"

msgid "%(num)s account"
msgid_plural "%(num)s accounts"
msgstr[0] "%(num)s konto"
msgstr[1] "%(num)s konta"
msgstr[2] "%(num)s kont"
"""


@pytest.fixture(scope="module")
def tool() -> dict[str, Any]:
    return runpy.run_path(str(TOOL))


@pytest.fixture(scope="module")
def said(tool: dict[str, Any]) -> Any:
    """Every sentence of the source."""
    return tool["extracted"]()


# --- the catalogues as they are


def test_the_house_speaks_english_french_german_danish_and_italian() -> None:
    assert {"en", "fr", "de", "da", "it"} <= set(languages())


def test_nothing_is_missing_or_wrong_in_any_catalogue_and_no_template_has_unmarked_words(
    tool: dict[str, Any],
) -> None:
    found = tool["check"]()
    assert not found, "\n".join([*found, f"Run: {tool['COMMAND']} update, then fill in what is empty."])


@pytest.mark.parametrize("code", CODES)
def test_a_catalogue_is_written_as_the_tool_writes_it(tool: dict[str, Any], code: str, said: Any) -> None:
    file = CATALOGUES / f"{code}.po"
    same = tool["brought_up_to_date"](file, said) == file.read_bytes()
    assert same, f"{file.name} is out of order. Run: {tool['COMMAND']} update"


@pytest.mark.parametrize("code", CODES)
def test_a_catalogue_holds_no_dates_and_no_places(code: str) -> None:
    text = (CATALOGUES / f"{code}.po").read_text(encoding="utf-8")
    assert "Date:" not in text
    assert not [line for line in text.splitlines() if line.startswith("#:")]


@pytest.mark.parametrize("code", CODES)
def test_every_catalogue_is_loaded_and_speaks(code: str) -> None:
    assert translate(message("Sign in"), code) != "Sign in"
    assert languages()[code].name


# --- a new language


def test_a_new_language_needs_one_file_and_no_code(tmp_path: Path) -> None:
    shutil.copytree(CATALOGUES, tmp_path, dirs_exist_ok=True)
    (tmp_path / "pl.po").write_text(POLISH, encoding="utf-8")
    known = read_languages(tmp_path)
    polish = known["pl"]
    assert list(known) == ["en", *sorted([*CODES, "pl"])]
    assert polish.name == "Polski"
    assert polish.translations.ugettext("Sign in") == "Zaloguj się"
    forms = [
        polish.translations.ungettext("%(num)s account", "%(num)s accounts", number) for number in (1, 3, 5)
    ]
    assert forms == ["%(num)s konto", "%(num)s konta", "%(num)s kont"]


def test_a_language_of_one_country_is_named_by_its_tag(tmp_path: Path) -> None:
    (tmp_path / "pt-BR.po").write_text('msgid "Save"\nmsgstr "Salvar"\n', encoding="utf-8")
    brazilian = read_languages(tmp_path)["pt-BR"]
    assert brazilian.name == "Português (Brasil)"
    assert brazilian.translations.ugettext("Save") == "Salvar"


def test_updating_an_empty_catalogue_enters_every_sentence_once(
    tool: dict[str, Any], tmp_path: Path, said: Any
) -> None:
    file = tmp_path / "pl.po"
    file.write_text(POLISH, encoding="utf-8")
    assert tool["update"](tmp_path) == ["pl.po"]
    assert tool["update"](tmp_path) == []
    missing = list(tool["problems"](file, said))
    assert missing
    assert all("missing" in line for line in missing)
    assert 'msgstr[2] "%(num)s kont"' in file.read_text(encoding="utf-8")


def test_updating_drops_a_sentence_that_is_no_longer_said(
    tool: dict[str, Any], tmp_path: Path, said: Any
) -> None:
    file = tmp_path / "pl.po"
    file.write_text(POLISH + '\nmsgid "Bygone words"\nmsgstr "Minione słowa"\n', encoding="utf-8")
    assert any("no longer said" in line for line in tool["problems"](file, said))
    tool["update"](tmp_path)
    assert "Bygone" not in file.read_text(encoding="utf-8")


# --- what the check finds


@pytest.mark.parametrize(
    ("code", "original", "translation", "problem"),
    [
        ("da", "Save", "", "missing"),
        ("da", "Error %(status)s", "Fejl %(stand)s", "other placeholders"),
        ("da", "Error %(status)s", "Fejl %(status)s 5 %", "other placeholders"),
        ("da", "Save", "Gem ", "other white space at the beginning or end"),
        ("da", "Save", "Gem.", "other punctuation at the end"),
        ("da", "Your name", "Dit 'navn'", "typewriter quotes, apostrophe or dots"),
        ("de", "Your name", "Ihr «Name»", "quotes of another language"),
        ("fr", "Default:", "Par défaut:", "a no-break space is missing"),
        ("fr", "Default:", "Par défaut :", "a no-break space is missing"),
        ("fr", "Your name", "Votre « nom »", "a no-break space is missing"),
    ],
)
def test_a_faulty_translation_is_found(
    tool: dict[str, Any], said: Any, tmp_path: Path, code: str, original: str, translation: str, problem: str
) -> None:
    file = tmp_path / f"{code}.po"
    catalogue = tool["read"](CATALOGUES / file.name)
    catalogue[original].string = translation
    file.write_bytes(tool["text_of"](catalogue))
    assert list(tool["problems"](file, said)) == [f"{file.name}: {problem}: {original!r}"]


def test_a_translation_with_too_few_plural_forms_is_found(
    tool: dict[str, Any], tmp_path: Path, said: Any
) -> None:
    file = tmp_path / "pl.po"
    file.write_text(POLISH.replace('msgstr[2] "%(num)s kont"', 'msgstr[2] ""'), encoding="utf-8")
    assert "pl.po: has 2 of 3 plural forms: '%(num)s account'" in tool["problems"](file, said)


def test_a_fuzzy_translation_is_found(tool: dict[str, Any], tmp_path: Path, said: Any) -> None:
    file = tmp_path / "pl.po"
    file.write_text(POLISH.replace('msgid "Sign in"', '#, fuzzy\nmsgid "Sign in"'), encoding="utf-8")
    assert "pl.po: marked as fuzzy: 'Sign in'" in tool["problems"](file, said)


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("<p>Hello</p>", ["Hello"]),
        ('<a title="More">{{ _("Less") }}</a>', ["More"]),
        ('<p class="x">{{ _("Hello") }} · {# a remark #}12 –</p>', []),
        ("<p>{% trans %}Hello{% endtrans %}</p>", []),
        ("<p>Armarium {{ version }}</p>", []),
    ],
)
def test_words_of_a_template_that_nobody_marked_are_found(
    tool: dict[str, Any], template: str, words: list[str]
) -> None:
    assert tool["unmarked"](template) == words
