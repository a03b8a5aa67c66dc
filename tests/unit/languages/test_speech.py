"""What is said in the language of the moment."""

import contextvars
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from armarium.core.message import Message, message
from armarium.languages import speech
from armarium.languages.speech import bind, gettext, language, ngettext, number, say, speaking, translate

FAILED = message("Error %(status)s", status=404)


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """Whatever a test binds is undone."""
    with speaking("en"):
        yield


# --- the language of the moment


def test_english_is_what_the_source_says() -> None:
    assert say(message("Sign in")) == "Sign in"


@pytest.mark.parametrize(
    ("code", "words"),
    [("fr", "Erreur 404"), ("de", "Fehler 404"), ("da", "Fejl 404"), ("it", "Errore 404")],
)
def test_a_message_is_said_in_the_language_of_the_moment(code: str, words: str) -> None:
    with speaking(code):
        assert say(FAILED) == words
    assert say(FAILED) == "Error 404"


def test_messages_in_the_places_of_a_message_are_said_in_the_same_language() -> None:
    rhythm = message("Every week on %(weekday)s at %(time)s", weekday=message("Monday"), time="03:00")
    assert translate(rhythm, "fr") == "Toutes les semaines, le lundi à 03:00"


def test_a_sentence_without_a_translation_is_said_in_english() -> None:
    with speaking("fr"):
        assert gettext("Nobody has translated this.") == "Nobody has translated this."


def test_the_empty_sentence_is_not_the_head_of_the_catalogue() -> None:
    with speaking("fr"):
        assert gettext("") == ""


def test_a_language_without_a_catalogue_falls_back_to_english_with_its_numbers_and_dates() -> None:
    with speaking("tlh"):
        assert language().code == "en"
        assert say(FAILED) == "Error 404"
        assert number(1234.5, 1) == "1,234.5"
        assert speech.duration(120) == "2 minutes"


def test_languages_inside_each_other_end_in_order() -> None:
    with speaking("fr"):
        with speaking("de"):
            assert translate(FAILED, "it") == "Errore 404"
            assert say(FAILED) == "Fehler 404"
        assert say(FAILED) == "Erreur 404"


def test_an_error_inside_a_language_ends_it_too() -> None:
    with pytest.raises(RuntimeError), speaking("fr"):
        raise RuntimeError
    assert language().code == "en"


def test_what_one_request_binds_no_other_request_hears() -> None:
    def request(code: str) -> str:
        bind(code)
        return say(FAILED)

    contexts = {code: contextvars.copy_context() for code in ("fr", "de", "da", "it")}
    answers = {code: context.run(request, code) for code, context in contexts.items()}
    assert answers == {"fr": "Erreur 404", "de": "Fehler 404", "da": "Fejl 404", "it": "Errore 404"}
    assert contexts["fr"].run(translate, FAILED, "de") == "Fehler 404"
    assert contexts["fr"].run(say, FAILED) == "Erreur 404"
    assert say(FAILED) == "Error 404"


def test_threads_that_speak_at_the_same_time_do_not_disturb_each_other() -> None:
    codes = ["fr", "de", "da", "it"] * 5
    together = threading.Barrier(4)

    def speak(code: str) -> tuple[str, str]:
        together.wait(60)
        with speaking(code):
            said = {say(FAILED) for _ in range(200)}
        assert len(said) == 1
        return code, said.pop()

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(speak, codes))
    assert set(answers) == {(code, translate(FAILED, code)) for code in codes}


# --- plural forms


@pytest.mark.parametrize(
    ("code", "forms"),
    [
        ("en", {0: "%(num)s accounts", 1: "%(num)s account", 2: "%(num)s accounts"}),
        ("fr", {0: "%(num)s compte", 1: "%(num)s compte", 2: "%(num)s comptes"}),
        ("de", {0: "%(num)s Konten", 1: "%(num)s Konto", 2: "%(num)s Konten"}),
    ],
)
def test_each_language_has_its_own_idea_of_the_plural(code: str, forms: dict[int, str]) -> None:
    with speaking(code):
        said = {count: ngettext("%(num)s account", "%(num)s accounts", count) for count in forms}
    assert said == forms


# --- values that are not words


def test_percent_signs_in_values_are_only_signs() -> None:
    name = "100 %(name)s %s %%d"
    with speaking("fr"):
        assert say(message("The name %(name)s is taken.", name=name)) == f"Le nom {name} est déjà pris."


def test_a_message_without_values_may_hold_percent_signs() -> None:
    assert say(Message("Already 100 % done")) == "Already 100 % done"


def test_a_word_that_happens_to_be_a_sentence_of_ours_is_translated_only_when_it_is_the_sentence() -> None:
    with speaking("de"):
        assert say(message("The name %(name)s is taken.", name="Save")) == "Der Name Save ist schon vergeben."
