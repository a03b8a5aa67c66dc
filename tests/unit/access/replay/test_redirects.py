import pytest

from armarium.access.replay.capture import leads_to_itself
from armarium.formats.url import surt


@pytest.mark.parametrize(
    ("url", "location"),
    [
        ("http://example.com/", "https://example.com/"),
        ("http://example.com/", "https://www.example.com/"),
        ("http://example.com/a", "/a/"),
        ("http://www.example.com/a", "//example.com/a"),
        ("http://example.com/A", "/a"),
        ("http://example.com/a", "  /a  "),
    ],
)
def test_a_redirect_to_another_spelling_of_its_own_key_leads_to_itself(url: str, location: str) -> None:
    assert leads_to_itself(surt(url), url, 301, location)


@pytest.mark.parametrize(
    ("status", "location"), [(302, "/b"), (302, "http://example.org/a"), (200, "/a"), (302, None), (302, "")]
)
def test_other_redirects_lead_on(status: int, location: str | None) -> None:
    url = "http://example.com/a"
    assert not leads_to_itself(surt(url), url, status, location)


def test_a_location_that_is_no_address_leads_nowhere() -> None:
    assert not leads_to_itself("com,example)/", "http://example.com/", 302, "http://[")
