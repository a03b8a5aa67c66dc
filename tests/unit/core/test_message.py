from armarium.core.errors import NotFound, Refused
from armarium.core.message import Message, message


def test_values_are_put_into_their_places() -> None:
    assert str(message("Task %(number)s of %(name)s", number=5, name="100 %")) == "Task 5 of 100 %"


def test_a_sentence_without_values_is_taken_literally() -> None:
    assert str(Message("100 % of %(nothing)s")) == "100 % of %(nothing)s"


def test_a_translated_template_gets_the_same_values() -> None:
    assert message("%(a)s before %(b)s", a=1, b=2).filled("%(b)s nach %(a)s") == "2 nach 1"


def test_a_value_is_never_read_as_a_template() -> None:
    assert str(message("%(name)s", name="%(secret)s %d")) == "%(secret)s %d"


def test_an_error_carries_its_sentence_and_its_field() -> None:
    refusal = Refused(message("The name %(name)s is taken.", name="ada"), field="name")
    assert (str(refusal), refusal.field) == ("The name ada is taken.", "name")
    assert str(NotFound("There is none.")) == "There is none."
