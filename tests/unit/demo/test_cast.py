"""Who acts, and which site is in which collection."""

from collections import Counter

from armarium.accounts.model import Role
from armarium.accounts.rules import check_password
from armarium.demo.acts.selecting import NOMINATED, REFUSAL, UNWANTED
from armarium.demo.cast import GATHERINGS, PEOPLE, new_password, sites_of
from armarium.demo.web import SITES, Edition


def test_every_role_has_somebody() -> None:
    assert {person.role for person in PEOPLE} == set(Role)


def test_every_site_is_in_one_collection_and_none_is_empty() -> None:
    found = Counter(site.name for gathering in GATHERINGS for site in sites_of(gathering))
    assert found == Counter(site.name for site in SITES)
    assert all(len(sites_of(gathering)) > 3 for gathering in GATHERINGS)


def test_one_that_is_refused_is_chosen_and_one_that_is_nominated_is_not_there_yet() -> None:
    named = {site.name: site for site in SITES}
    assert UNWANTED in named
    assert "prices" in REFUSAL
    assert any("price" in page.text for page in named[UNWANTED].pages)
    new = named[NOMINATED]
    assert (new.lives(Edition.FIRST), new.lives(Edition.SECOND)) == (False, True)
    assert all(one.open_to_nominations for one in GATHERINGS if new in sites_of(one))


def test_passwords_are_taken_by_the_house() -> None:
    for person in PEOPLE:
        check_password(new_password(), person.name)
    assert new_password() != new_password()
