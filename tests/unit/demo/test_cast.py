"""Who acts, and which site is in which collection."""

from collections import Counter

from armarium.accounts.model import Role
from armarium.accounts.rules import check_password
from armarium.demo.cast import GATHERINGS, PEOPLE, new_password, sites_of
from armarium.demo.web import SITES


def test_every_role_has_somebody() -> None:
    assert {person.role for person in PEOPLE} == set(Role)


def test_every_site_is_in_one_collection_and_none_is_empty() -> None:
    found = Counter(site.name for gathering in GATHERINGS for site in sites_of(gathering))
    assert found == Counter(site.name for site in SITES)
    assert all(len(sites_of(gathering)) > 3 for gathering in GATHERINGS)


def test_passwords_are_taken_by_the_house() -> None:
    for person in PEOPLE:
        check_password(new_password(), person.name)
    assert new_password() != new_password()
