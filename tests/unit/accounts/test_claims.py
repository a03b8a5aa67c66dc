"""From what a provider tells to a person; nothing of it is trusted to have a shape."""

from pathlib import Path
from typing import Any

import pytest

from armarium.accounts.directory.openid import found, person_of, tells_enough
from armarium.accounts.directory.settings import OpenIdSettings
from armarium.settings import load

ISSUER = "https://login.example.org"


@pytest.fixture
def settings(tmp_path: Path) -> OpenIdSettings:
    return load([OpenIdSettings], home=tmp_path, environ={})[OpenIdSettings]


def test_a_person_is_known_by_issuer_and_subject(settings: OpenIdSettings) -> None:
    claims = {"sub": "1", "preferred_username": " Anna ", "name": "Anna\tMaier\0", "groups": ["a", "", "b "]}
    person = person_of(claims, ISSUER, settings)
    assert (person.subject, person.name, person.display_name) == (f"{ISSUER} 1", "anna", "AnnaMaier")
    assert (person.mail, person.groups) == ("", frozenset({"a", "b"}))


def test_one_group_may_come_without_a_list(settings: OpenIdSettings) -> None:
    assert person_of({"sub": "1", "groups": "curators"}, ISSUER, settings).groups == {"curators"}


@pytest.mark.parametrize("odd", [None, 7, {"a": 1}, [1, None, ["x"]], True, ""])
def test_claims_of_another_shape_say_nothing(settings: OpenIdSettings, odd: Any) -> None:
    claims = {"sub": "1", "preferred_username": odd, "name": odd, "email": odd, "groups": odd}
    person = person_of(claims, ISSUER, settings)
    assert (person.name, person.display_name, person.mail, person.groups) == ("", "", "", frozenset())


def test_dots_lead_into_objects_unless_they_belong_to_the_name() -> None:
    claims = {"realm_access": {"roles": ["inner"]}, "https://example.org/groups": ["url"]}
    assert found(claims, "realm_access.roles") == ["inner"]
    assert found(claims, "https://example.org/groups") == ["url"]
    assert found(claims, "realm_access.roles.deeper") is None


def test_the_provider_is_asked_again_only_if_something_is_missing(settings: OpenIdSettings) -> None:
    whole = {"preferred_username": "a", "name": "a", "email": "a", "groups": []}
    assert tells_enough(whole, settings)
    assert not tells_enough({**whole, "groups": None}, settings)
