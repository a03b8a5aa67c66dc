"""What is asked for and not there is said."""

import pytest

from armarium.core.errors import NotFound, existing
from armarium.core.message import message


def test_what_is_there_is_given_even_if_it_is_nothing_much() -> None:
    assert existing(0, message("There is no number.")) == 0


def test_what_is_missing_is_said_in_its_own_words() -> None:
    with pytest.raises(NotFound, match=r"There is no shelf 7\."):
        existing(None, message("There is no shelf %(number)s.", number=7))
