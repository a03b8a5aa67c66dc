"""What follows from the way the request for a robots.txt ended."""

from datetime import timedelta

import pytest

from armarium.formats.robots import Access, outcome, valid_product_token


@pytest.mark.parametrize(
    ("status", "access"),
    [
        (200, Access.RULES),
        (206, Access.RULES),
        (304, Access.UNCHANGED),
        (301, Access.FOLLOW),
        (308, Access.FOLLOW),
        (401, Access.ALLOW_ALL),
        (403, Access.ALLOW_ALL),
        (404, Access.ALLOW_ALL),
        (410, Access.ALLOW_ALL),
        (429, Access.ALLOW_ALL),
        (500, Access.DISALLOW_ALL),
        (503, Access.DISALLOW_ALL),
        (None, Access.DISALLOW_ALL),
        (999, Access.DISALLOW_ALL),
        (101, Access.DISALLOW_ALL),
    ],
)
def test_a_status_has_the_consequence_of_the_standard(status: int | None, access: Access) -> None:
    assert outcome(status).access is access


def test_the_sixth_redirect_is_as_good_as_no_file() -> None:
    assert outcome(302, redirects=4).access is Access.FOLLOW
    assert outcome(302, redirects=5).access is Access.ALLOW_ALL


def test_after_a_month_out_of_reach_a_file_counts_as_absent() -> None:
    assert outcome(503, absent_for=timedelta(days=29)).access is Access.DISALLOW_ALL
    assert outcome(None, absent_for=timedelta(days=30)).access is Access.ALLOW_ALL


def test_asking_again_makes_sense_when_the_server_had_trouble() -> None:
    assert outcome(503).retry
    assert outcome(429).retry
    assert not outcome(404).retry


def test_a_crawlers_name_is_of_letters_hyphens_and_underscores() -> None:
    assert valid_product_token("Armarium-Web_Harvest")
    assert not any(valid_product_token(name) for name in ("", "a b", "a/1.0", "a1", "é", "*"))
