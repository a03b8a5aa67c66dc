"""A page with a form that was refused says so by its status."""

import pytest

from armarium.core.errors import Refused
from armarium.web.forms import Form, filled
from armarium.web.pages import was_refused


def refused() -> Form:
    return filled(name="").refuse(Refused("Say a name.", field="name"))


@pytest.mark.parametrize("shown", [refused(), {"first": filled(), "second": refused()}])
def test_a_form_that_is_shown_again_and_one_of_several_were_refused(shown: object) -> None:
    assert was_refused(shown)


@pytest.mark.parametrize("shown", [None, "errors", filled(name="A"), {"first": filled()}, ["errors"]])
def test_whatever_else_a_page_shows_was_not(shown: object) -> None:
    assert not was_refused(shown)
