"""Which rule decides about a URL."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armarium.formats.robots import parse
from tests.cost import processor_seconds


def verdict(rules: str, url: str) -> bool:
    return parse(f"User-agent: *\n{rules}".encode()).allowed("a", url).allowed


@pytest.mark.parametrize(
    ("rules", "url", "allowed"),
    [
        ("Disallow: /\nAllow: /p", "/page", True),  # the longer rule
        ("Allow: /folder\nDisallow: /folder", "/folder/page", True),  # at equal length Allow
        ("Allow: /page\nDisallow: /*.htm", "/page.htm", False),
        ("Allow: /$\nDisallow: /", "/", True),
        ("Allow: /$\nDisallow: /", "/page", False),
        ("Disallow:", "/x", True),
        ("Disallow: /a*", "/ab", False),
        ("Disallow: /*/b$", "/a/b", False),
        ("Disallow: /*/b$", "/a/bc", True),
        ("Disallow: *.gif$", "/x.gif", False),
        ("Disallow: /a$b", "/a$bc", False),  # a dollar inside means itself
        ("Disallow: /a%24", "/a$", False),
        ("Disallow: /a%2A", "/a*b", False),
        ("Disallow: /a%2A", "/axb", True),
        ("Disallow: /%62%61%7A", "/baz", False),
        ("Disallow: /baz", "/%62%61%7a", False),
        ("Disallow: /a%2fb", "/a/b", True),  # reserved: another path
        ("Disallow: /a%2fb", "/a%2Fb", False),
        ("Disallow: /ツ", "/%E3%83%84", False),
        ("Disallow: /%e3%83%84", "/ツ", False),
        ("Disallow: /a b", "/a%20b", False),
        ("Disallow: /X", "/x", True),
        ("Disallow: /?", "https://example.org?q", False),
        ("Disallow: /p", "https://user@example.org:8080/p#fragment", False),
        ("Disallow: /", "https://example.org", False),
        ("Allow: /f/index.html\nDisallow: /", "/f/", True),
    ],
)
def test_the_longest_match_decides(rules: str, url: str, allowed: bool) -> None:
    assert verdict(rules, url) is allowed


def test_wildcards_without_end_are_matched_in_linear_time() -> None:
    rules = "Disallow: /" + "*a" * 5000 + "b$\n" + "Disallow: /" + "a*" * 5000 + "$c\n"
    with processor_seconds(3):
        assert verdict(rules, "/" + "a" * 200_000)


def by_regular_expression(pattern: str, path: str) -> bool:
    body = pattern.removesuffix("$")
    expression = ".*".join(re.escape(piece) for piece in body.split("*"))
    return re.match(expression + ("$" if pattern.endswith("$") else ""), path) is not None


_PATHS = st.text(alphabet="ab/", max_size=12).map(lambda path: "/" + path)
_PATTERNS = st.text(alphabet="ab/*", max_size=8).map(lambda pattern: "/" + pattern)


@given(st.lists(st.tuples(st.booleans(), _PATTERNS, st.booleans()), max_size=8), _PATHS)
def test_the_verdict_is_that_of_the_definition(rules: list[tuple[bool, str, bool]], path: str) -> None:
    lines = [(allow, pattern + "$" * anchored) for allow, pattern, anchored in rules]
    matching = [(len(pattern), allow) for allow, pattern in lines if by_regular_expression(pattern, path)]
    written = "\n".join(f"{'Allow' if allow else 'Disallow'}: {pattern}" for allow, pattern in lines)
    assert verdict(written, "https://example.org" + path) is (max(matching)[1] if matching else True)


MANY = "".join(f"Disallow: /*a{number}*b\n" for number in range(10_000))


def test_thousands_of_wildcards_and_a_long_path_cost_little() -> None:
    robots = parse(f"User-agent: *\n{MANY}".encode())
    assert robots.allowed("a", "/").allowed
    with processor_seconds(3):
        assert all(robots.allowed("a", "/" + "a" * 16_000 + str(number)).allowed for number in range(4))


def test_of_a_long_path_the_end_counts_however_many_wildcards_there_are() -> None:
    long = "/" + "x" * 10_000
    rules = MANY + "Disallow: /*.pdf$\nDisallow: /x*/y\n"
    assert not verdict(rules, long + ".pdf")
    assert not verdict(rules, "/x" + "/y" + long)
    assert verdict(rules, long + "/y")  # beyond what is compared
    assert not verdict("Disallow: /x*/y\n", long + "/y")
