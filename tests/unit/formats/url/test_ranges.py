import pytest

from armarium.formats.url import Match, asked_for, search_range, surt, unsurt


@pytest.mark.parametrize(
    ("url", "match", "inside", "outside"),
    [
        ("http://a.com/x", Match.EXACT, ["a.com/x"], ["a.com/x/y", "a.com/xy", "a.com/"]),
        ("http://a.com/x", Match.PREFIX, ["a.com/x", "a.com/xy", "a.com/x?y"], ["a.com/y", "a.com/"]),
        ("http://a.com/x/", Match.PREFIX, ["a.com/x/y"], ["a.com/xy", "a.com/x"]),
        ("http://a.com/x?", Match.PREFIX, ["a.com/x?y"], ["a.com/x/y", "a.com/x"]),
        ("http://a.com/x", Match.HOST, ["a.com/", "www.a.com/y"], ["b.a.com/", "aa.com/", "a.com:81/"]),
        ("http://a.com/x", Match.DOMAIN, ["a.com/", "b.a.com/y"], ["aa.com/", "com/", "a-b.com/"]),
        ("a.com:8080/x", Match.EXACT, ["a.com:8080/x"], ["a.com/x"]),
        ("a.com:8080", Match.HOST, ["a.com:8080/", "a.com:8080/x"], ["a.com/", "a.com:80801/"]),
        ("localhost:8080/x?y", Match.PREFIX, ["localhost:8080/x?yz"], ["localhost:8080/x"]),
        ("//a.com:8080/x", Match.EXACT, ["a.com:8080/x"], ["a.com/x"]),
        (" a.com:8080/x", Match.EXACT, ["a.com:8080/x"], ["a.com/x"]),
        ("//[2001:db8::1]:8080/x", Match.EXACT, ["[2001:db8::1]:8080/x"], ["[2001:db8::1]/x"]),
        ("user:pw@a.com:8080/x", Match.EXACT, ["a.com:8080/x"], ["a.com/x"]),
        ("localhost:8080", Match.DOMAIN, ["localhost:8080/x"], ["localhost/x"]),
        ("[2001:db8::1]", Match.DOMAIN, ["[2001:db8::1]/x"], ["[2001:db8::2]/"]),
        ("a.com:443/x", Match.EXACT, ["a.com/x"], []),  # who types this port means https
        ("http://com", Match.DOMAIN, ["a.com/", "b.a.com/y"], ["a.org/"]),
    ],
)
def test_a_range_holds_what_it_should(url: str, match: Match, inside: list[str], outside: list[str]) -> None:
    first, end = search_range(url, match)
    # A line of an index is the key, a space and the rest: so are compared the lines of an exact match.
    assert [key for key in inside if not first <= f"{surt(f'http://{key}')} 2026" < end] == []
    assert [key for key in outside if first <= f"{surt(f'http://{key}')} 2026" < end] == []


def test_what_begins_with_a_scheme_is_asked_for_as_it_is() -> None:
    for url in ("dns:example.com", "http://a.com:8080/", "urn:isbn:0451450523", "user:1234@a.com/", "a.com"):
        assert asked_for(url) == url


def test_a_key_can_be_read_by_people_again() -> None:
    assert unsurt("com,example,www)/a?b=)/") == "www.example.com/a?b=)/"
    assert unsurt("dns:example.com") == "dns:example.com"
