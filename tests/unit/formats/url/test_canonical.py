import pytest
from hypothesis import given
from hypothesis import strategies as st

from armarium.formats.url import InvalidUrl, canonical, parse
from armarium.formats.url.canonical import keyed, uniform


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("HTTP://WWW.Example.ORG", "http://www.example.org/"),
        ("https://example.org:443/", "https://example.org/"),
        ("http://example.org:443/", "http://example.org:443/"),
        ("http://example.org/a/./b/%2e%2E/c", "http://example.org/a/c"),
        ("http://example.org/page#part", "http://example.org/page"),
        ("http://example.org/%7euser/caf%c3%a9", "http://example.org/~user/caf%C3%A9"),
        ("http://example.org/?q=%41%26b", "http://example.org/?q=A%26b"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("  http://example.org/a\tb  ", "http://example.org/ab"),
    ],
)
def test_what_every_server_takes_for_the_same_is_the_same(url: str, expected: str) -> None:
    assert canonical(url) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://a/?b=1&a=2", "http://a/?a=2&b=1"),
        ("http://a/?", "http://a/"),
        ("http://a/b", "http://a/b/"),
        ("http://a/b", "http://a/B"),
        ("http://a//b", "http://a/b"),
        ("http://a/b%2Fc", "http://a/b/c"),
        ("http://a/b%7Cc", "http://a/b|c"),
        ("http://a/100%", "http://a/100%25"),
        ("http://www.a.example/", "http://a.example/"),
        ("http://a.example./", "http://a.example/"),
        ("http://user@a/", "http://a/"),
        ("http://a/", "https://a/"),
        ("http://a/;jsessionid=0123456789abcdef", "http://a/"),
    ],
)
def test_what_some_server_may_tell_apart_stays_apart(one: str, other: str) -> None:
    assert canonical(one) != canonical(other)


def test_the_fragment_can_be_kept_for_a_harvest_by_browser() -> None:
    assert canonical("http://a/#/chapter/2", keep_fragment=True) == "http://a/#/chapter/2"


def test_decoding_never_makes_a_new_escape() -> None:
    assert uniform("%%34%31") == "%%341"
    assert uniform("%4%31") == "%4%31"
    assert uniform("%%2D") == "%-"


def test_a_decoded_drive_letter_is_written_as_the_parser_writes_it() -> None:
    assert canonical("file:///%43|/x") == "file:///C:/x"


def test_what_is_no_url_is_refused() -> None:
    with pytest.raises(InvalidUrl):
        canonical("no url")


parts = st.text(alphabet="aF4~-./\\?#%25 eE&=|C:é\t", max_size=30)


@given(
    st.sampled_from(["http://a/", "https://a?", "file:///", "scheme:", "data:x", "mailto:", "foo://"]), parts
)
def test_the_canonical_form_is_its_own(start: str, rest: str) -> None:
    try:
        once = canonical(start + rest)
    except InvalidUrl:
        return
    assert canonical(once) == once


@given(parts)
def test_the_canonical_form_names_the_same_resource(rest: str) -> None:
    """Fully unescaped, nothing has changed but dots and the fragment, which the parser takes care of."""
    url = f"http://a/{rest}"
    before, after = parse(url), parse(canonical(url))
    assert keyed(before.path) == keyed(after.path)
    assert keyed(before.query or "") == keyed(after.query or "")
    assert after.fragment is None
