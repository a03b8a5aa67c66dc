import pytest
from hypothesis import given
from hypothesis import strategies as st

from armarium.formats.url import InvalidUrl, normal, parse, resolve


def test_a_url_is_taken_apart() -> None:
    url = parse("HTTPS://user:pw@WWW.Bücher.example:8443/a/../b?q=1#part")
    assert url.href == "https://user:pw@www.xn--bcher-kva.example:8443/b?q=1#part"
    assert (url.scheme, url.username, url.password) == ("https", "user", "pw")
    assert (url.host, url.port, url.path) == ("www.xn--bcher-kva.example", 8443, "/b")
    assert (url.query, url.fragment) == ("q=1", "part")


def test_absent_and_empty_are_told_apart() -> None:
    assert parse("http://a/").query is None
    assert parse("http://a/?").query == ""
    assert parse("urn:isbn:123").host is None
    assert parse("file:///tmp").host == ""


def test_a_path_that_begins_with_two_slashes_is_not_a_host() -> None:
    url = parse("scheme:/.//path")
    assert (url.host, url.path) == (None, "//path")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("www.example.org", "it is relative: it has no scheme such as https:"),
        ("http://", "it names no host"),
        ("http://a:99999/", "its port is not a number from 0 to 65535"),
        ("http://[::g]/", "its host looks like an IPv6 address and is none"),
        ("http://1.2.3.256/", "its host looks like an IPv4 address and is none"),
        ("http://a b/", "its host name is not a valid domain name"),
    ],
)
def test_a_refusal_says_why(text: str, reason: str) -> None:
    with pytest.raises(InvalidUrl) as refusal:
        parse(text)
    assert refusal.value.reason == reason
    assert refusal.value.url == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://a/x^y", "http://a/x%5Ey"),
        ("http://a/C:/..", "http://a/"),
        ("http://a/C|/../b", "http://a/b"),
        ("http://a.xn--pokxncvks/", None),
    ],
)
def test_where_the_fast_parser_strays_the_other_one_answers(text: str, expected: str | None) -> None:
    if expected is None:
        assert normal(text).startswith("http://a.xn--")
    else:
        assert normal(text) == expected


def test_a_base_with_a_drive_letter_is_not_given_to_the_fast_parser() -> None:
    assert resolve("http://a/C:/", "..") == "http://a/"


def test_half_a_surrogate_becomes_a_replacement_character() -> None:
    assert normal("http://a/\ud800") == "http://a/%EF%BF%BD"
    assert resolve("http://a/\udfff/", "b") == "http://a/%EF%BF%BD/b"


@pytest.mark.parametrize(
    ("encoding", "query"),
    [
        ("utf-8", "q=%C3%A9t%C3%A9%E2%82%AC"),
        ("iso-8859-1", "q=%E9t%E9%80"),  # to a browser, ISO-8859-1 is windows-1252
        ("iso-8859-15", "q=%E9t%E9%A4"),
        ("us-ascii", "q=%E9t%E9%80"),
        ("utf-16", "q=%C3%A9t%C3%A9%E2%82%AC"),
        ("no-such-encoding", "q=%C3%A9t%C3%A9%E2%82%AC"),
        ("rot13", "q=%C3%A9t%C3%A9%E2%82%AC"),
        ("koi8-r", "q=%26%23233%3Bt%26%23233%3B%26%238364%3B"),
    ],
)
def test_a_query_is_encoded_as_its_document_is(encoding: str, query: str) -> None:
    assert parse(resolve("http://a/dir/page", "liste?q=été€#été", encoding)).query == query


def test_only_the_query_is_in_the_encoding_of_the_document() -> None:
    href = resolve("http://a/", "/été?été#été", "iso-8859-1")
    assert href == "http://a/%C3%A9t%C3%A9?%E9t%E9#%C3%A9t%C3%A9"


def test_a_query_of_a_scheme_without_meaning_for_it_is_in_utf_8() -> None:
    assert parse("ws://a/?é", "iso-8859-1").query == "%C3%A9"
    assert parse("mailto:a?é", "iso-8859-1").query == "%C3%A9"


anything = st.text() | st.text(alphabet="htps:/\\?#@.%2eE[]^|aC0~ \t\né")


@given(anything, anything)
def test_any_reference_resolves_or_is_refused(base: str, reference: str) -> None:
    try:
        href = resolve(base, reference)
    except InvalidUrl:
        return
    assert normal(href) == href
    assert resolve(base, href) == href


@given(anything)
def test_a_parsed_url_is_already_normal_and_its_parts_make_it_up(text: str) -> None:
    try:
        url = parse(text)
    except InvalidUrl:
        return
    assert parse(url.href) == url
    assert url.href.startswith(f"{url.scheme}:")
    assert url.href.removesuffix(f"#{url.fragment}").removesuffix(f"?{url.query}").endswith(url.path)


@given(
    anything, st.sampled_from(["latin-1", "shift_jis", "iso-2022-jp", "gb18030", "big5", "euc-kr", "koi8-r"])
)
def test_a_query_in_any_encoding_is_ascii(text: str, encoding: str) -> None:
    assert parse(f"http://a/?{text}", encoding).href.isascii()
