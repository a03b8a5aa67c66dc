from pathlib import Path

import pytest

from armarium.access.captures.fuzzy import RULES, best, search_ranges
from armarium.formats.url import surt

# (rule, what is asked for, what was captured)
FITTING = [
    ("cache-buster", "http://example.com/d.php?a=1&_=1700000000123", "http://example.com/d.php?_=160000&a=1"),
    ("cache-buster", "http://example.com/d?rand=0.123456", "http://example.com/d"),
    ("cache-buster", "http://example.com/pixel?1700000000123", "http://example.com/pixel?1600000000000"),
    (
        "jsonp",
        "http://example.com/api?q=x&callback=jQuery123_456",
        "http://example.com/api?callback=cb_9&q=x",
    ),
    ("jsonp", "http://example.com/api?jsonp=a.b&_=12", "http://example.com/api?jsonp=c.d&_=99"),
    ("tracking", "http://example.com/page?id=7&utm_source=letter", "http://example.com/page?id=7"),
    ("tracking", "http://example.com/page?fbclid=AbC", "http://example.com/page"),
    (
        "session",
        "http://example.com/x?p=1&token=0123456789abcdef",
        "http://example.com/x?p=1&token=ffffffffff",
    ),
    (
        "media-range",
        "http://example.com/f.mp4?range=100-200&id=3",
        "http://example.com/f.mp4?id=3&range=0-99",
    ),
    (
        "videoplayback",
        "https://r5---sn-b.googlevideo.com/videoplayback?id=abc&itag=18&sig=ZZ&expire=2",
        "https://r1---sn-a.googlevideo.com/videoplayback?expire=1&id=abc&itag=18&sig=YY",
    ),
    ("file", "http://example.com/site.css?v=3", "http://example.com/site.css?v=2"),
    ("file", "http://example.com/logo.png", "http://example.com/logo.png?size=large"),
]

OTHERS = [
    ("http://example.com/d.php?a=1&_=1700000000", "http://example.com/d.php?a=2&_=1700000000"),
    ("http://example.com/page?id=7", "http://example.com/page?id=8"),
    ("http://example.com/page?p=1234", "http://example.com/page?p=1235"),
    ("http://example.com/a.css?v=1", "http://example.com/b.css?v=1"),
    (
        "https://r5.googlevideo.com/videoplayback?id=abc&itag=18",
        "https://r5.googlevideo.com/videoplayback?id=xyz&itag=18",
    ),
    ("http://example.com/a.css", "http://example.com/a.css?__wb_method=POST&a=1"),
]


@pytest.mark.parametrize(("rule", "asked", "captured"), FITTING)
def test_a_rule_lets_a_capture_stand_for_what_is_asked_for(rule: str, asked: str, captured: str) -> None:
    assert best(surt(asked), [surt(captured)]) == (surt(captured), rule)


@pytest.mark.parametrize(("asked", "captured"), OTHERS)
def test_what_differs_in_what_matters_is_not_taken(asked: str, captured: str) -> None:
    assert best(surt(asked), [surt(captured)]) is None


def test_every_rule_has_an_example() -> None:
    assert {rule.name for rule in RULES} == {name for name, _, _ in FITTING}


def test_every_rule_is_documented() -> None:
    page = Path(__file__).parents[4] / "docs" / "reference" / "replay.md"
    assert [rule.name for rule in RULES if f"| `{rule.name}` |" not in page.read_text()] == []


@pytest.mark.parametrize(("rule", "asked", "captured"), FITTING)
def test_the_captured_key_lies_in_a_range_that_is_searched(rule: str, asked: str, captured: str) -> None:
    key = surt(captured)
    assert any(start <= key < end for start, end in search_ranges(surt(asked)))


def test_of_several_the_one_with_most_in_common_is_taken() -> None:
    near, far = "com,example)/a.js?lang=en&v=1", "com,example)/a.js?lang=fr&v=1"
    assert best("com,example)/a.js?lang=en&v=2", [far, near]) == (near, "file")
