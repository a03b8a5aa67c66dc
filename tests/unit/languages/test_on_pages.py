"""What templates make of messages: said in the reader's language, and never taken for markup."""

from collections.abc import Iterator

import pytest
from jinja2 import Environment

from armarium.core.message import message
from armarium.languages.speech import speaking
from armarium.web.shell import Shell

HOSTILE = '<b title="x">&amp; 50 %</b>'
ESCAPED = "&lt;b title=&#34;x&#34;&gt;&amp;amp; 50 %&lt;/b&gt;"


@pytest.fixture(autouse=True)
def french() -> Iterator[None]:
    with speaking("fr"):
        yield


@pytest.fixture
def environment() -> Environment:
    return Shell([], ["armarium.web"], library="").environment


def rendered(environment: Environment, template: str, **context: object) -> str:
    return environment.from_string(template).render(**context)


def test_a_message_in_a_template_is_said_and_its_values_are_escaped(environment: Environment) -> None:
    text = message("The name %(name)s is taken.", name=HOSTILE)
    assert rendered(environment, "{{ text }}", text=text) == f"Le nom {ESCAPED} est déjà pris."


def test_values_of_a_sentence_in_a_template_are_escaped(environment: Environment) -> None:
    template = '{{ _("Welcome, %(name)s", name=name) }}'
    assert rendered(environment, template, name=HOSTILE) == f"Bienvenue, {ESCAPED}"


def test_markup_made_by_a_part_of_the_page_stays_markup_inside_a_sentence(environment: Environment) -> None:
    template = (
        '{% macro bold(text) %}<b>{{ text }}</b>{% endmacro %}{{ _("Welcome, %(name)s", name=bold(name)) }}'
    )
    assert rendered(environment, template, name="<i>") == "Bienvenue, <b>&lt;i&gt;</b>"


def test_a_message_inside_a_sentence_is_said_in_the_same_language(environment: Environment) -> None:
    template = '{{ _("Task %(id)s (%(label)s) will not be done.", id=7, label=label) }}'
    said = rendered(environment, template, label=message("Send a notification"))
    assert said == "La tâche 7 (Envoyer une notification) ne sera pas exécutée."


def test_a_plural_form_in_a_template_follows_the_number_and_shows_it_as_the_reader_writes_it(
    environment: Environment,
) -> None:
    template = '{{ ngettext("%(num)s account", "%(num)s accounts", total, num=total | number) }}'
    assert rendered(environment, template, total=1) == "1 compte"
    assert rendered(environment, template, total=1234) == "1\N{NARROW NO-BREAK SPACE}234 comptes"
