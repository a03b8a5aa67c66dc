"""Every link of the small web leads somewhere, or is known to be broken."""

import re

import pytest

from armarium.demo.web import SITES, Edition, Site
from armarium.demo.web.answering import answered
from armarium.demo.web.building import answers
from tests.unit.demo.web.links import elsewhere, reached

LIVING = [(site, edition) for site in SITES for edition in Edition if site.lives(edition)]
BY_WORD = {site.word: site for site in SITES}


@pytest.mark.parametrize(("site", "edition"), LIVING, ids=lambda one: getattr(one, "word", one))
def test_everything_can_be_reached_and_nothing_else_is_asked_for(site: Site, edition: Edition) -> None:
    found = reached(site, edition)
    broken = {path for path, answer in found.items() if answer.status == 404}

    assert set(answers(site, edition)) - set(found) == set()
    assert broken == site.broken


@pytest.mark.parametrize(("site", "edition"), LIVING, ids=lambda one: getattr(one, "word", one))
def test_links_to_other_sites_lead_to_pages_that_are_or_were_there(site: Site, edition: Edition) -> None:
    """A page may outlive what it points to, as everywhere; but nothing points to what never was."""
    for answer in answers(site, edition).values():
        for word, path in elsewhere(answer):
            target = BY_WORD[word]
            assert any(answered(target, each, path).status in (200, 301, 302) for each in Edition), (
                word,
                path,
            )


def test_a_redirect_loop_has_no_end() -> None:
    ferry = BY_WORD["ferry"]
    there = answered(ferry, Edition.FIRST, "/loop/there")

    assert answered(ferry, Edition.FIRST, there.location).location == "/loop/there"


def test_the_calendar_goes_on_for_ever() -> None:
    month = "/calendar/2026-10.html"
    for _ in range(40):
        page = answered(BY_WORD["bees"], Edition.FIRST, month)
        assert page.status == 200
        month = max(re.findall(r"/calendar/2\d{3}-\d\d\.html", page.body.decode()))
    assert month == "/calendar/2030-02.html"


def test_every_visit_of_the_basket_has_addresses_of_its_own() -> None:
    shop = BY_WORD["umbrellas"]
    first = answered(shop, Edition.FIRST, "/my/basket.php").body
    again = answered(shop, Edition.FIRST, "/my/basket.php", "PHPSESSID=1").body

    assert b"PHPSESSID=" in first
    assert first != again
