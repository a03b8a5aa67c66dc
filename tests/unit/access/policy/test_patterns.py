"""What people type for an address."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armarium.access.policy import patterns
from armarium.access.policy.model import AddressMatch as M
from armarium.core.errors import Refused

TYPED = {
    "*": (M.EVERYTHING, ""),
    "*.example.org": (M.DOMAIN, "org,example)/"),
    "*.example.org/": (M.DOMAIN, "org,example)/"),
    "*.fr": (M.DOMAIN, "fr)/"),
    "example.org": (M.HOST, "org,example)/"),
    "www.example.org": (M.HOST, "org,example)/"),
    "example.org/": (M.HOST, "org,example)/"),
    "https://www.example.org/": (M.EXACT, "org,example)/"),
    "https://www.example.org": (M.EXACT, "org,example)/"),
    "example.org:8080": (M.HOST, "org,example:8080)/"),
    "example.org/secret/": (M.PREFIX, "org,example)/secret/"),
    "example.org/sec*": (M.PREFIX, "org,example)/sec"),
    "https://example.org/page": (M.EXACT, "org,example)/page"),
    "example.org/page?b=2&a=1": (M.EXACT, "org,example)/page?a=1&b=2"),
    "ada:word@example.org/x/": (M.PREFIX, "org,example)/x/"),
    "bücher.example": (M.HOST, "example,xn--bcher-kva)/"),
    "192.0.2.1/x": (M.EXACT, "1,2,0,192)/x"),
    "urn:text:https://example.org/": (M.EXACT, "urn:text:https://example.org"),
    "  EXAMPLE.org./%73ecret/  ": (M.PREFIX, "org,example)/secret/"),
}


@pytest.mark.parametrize("text", TYPED)
def test_an_address_is_read_as_people_mean_it(text: str) -> None:
    found = patterns.read(text)
    assert (found.match, found.key) == TYPED[text]


@pytest.mark.parametrize("text", TYPED)
def test_the_address_of_a_key_has_that_key(text: str) -> None:
    found = patterns.read(text)
    assert patterns.read(patterns.of_key(found.key, found.match), found.match).key == found.key


def test_a_home_page_is_not_called_its_host() -> None:
    page, host = patterns.read("https://example.org/"), patterns.read("example.org")
    assert "Only the page example.org/" in str(patterns.covered(page.match, page.key))
    assert "All pages of example.org" in str(patterns.covered(host.match, host.key))
    assert patterns.read(patterns.of_key(page.key, page.match)).match is M.EXACT


def test_how_much_it_covers_can_be_said_otherwise() -> None:
    keys = {match: patterns.read("example.org/a", match).key for match in M}
    assert keys == {
        M.EVERYTHING: "",
        M.DOMAIN: "org,example)/",
        M.HOST: "org,example)/",
        M.PREFIX: "org,example)/a",
        M.EXACT: "org,example)/a",
    }


@pytest.mark.parametrize(
    "text", ["", "  ", "a b", "http://", "*.www.example.org", "a*b", "..", "%%%", "x" * 3000, "a\nb"]
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(Refused) as refusal:
        patterns.read(text)
    assert refusal.value.field == "pattern"


def test_what_has_no_host_cannot_stand_for_one() -> None:
    with pytest.raises(Refused, match="has no host"):
        patterns.read("urn:text:x", M.HOST)


@given(st.text(max_size=40), st.sampled_from([None, *M]))
def test_whatever_is_typed_is_read_or_refused(text: str, match: M | None) -> None:
    try:
        found = patterns.read(text, match)
    except Refused:
        return
    assert str(patterns.covered(found.match, found.key))
    assert all(first < after or not after for first, after in patterns.ranges(found.match, found.key))
