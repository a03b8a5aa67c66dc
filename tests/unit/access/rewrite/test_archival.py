import pytest

from armarium.access.rewrite import Archival, Asked, NotArchival, parse_archival


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("20131010000506/example.com", Archival("20131010000506", "", "http://example.com")),
        ("20131010000506789mp_/example.com", Archival("20131010000506", "mp_", "http://example.com")),
        ("2014id_/http:/example.com/a?b=/c", Archival("2014", "id_", "http://example.com/a?b=/c")),
        ("mp_/https://example.com/", Archival("", "mp_", "https://example.com/")),
        ("cs_js_/example.com", Archival("", "cs_js_", "http://example.com")),
        ("cm2_/example.com", Archival("", "cm2_", "http://example.com")),
        ("localhost:8080/x", Archival("", "", "http://localhost:8080/x")),
        ("urn:X-wpull:log", Archival("", "", "urn:X-wpull:log")),
        ("http://exa\x00mple.com/\x01", Archival("", "", "http://example.com/")),
    ],
)
def test_an_address_is_made_whole(text: str, expected: Archival) -> None:
    assert parse_archival(text) == expected


def test_a_question_has_a_span_and_may_ask_for_all_below() -> None:
    assert parse_archival("2010-2012*/x") == Asked("http://x", "2010", "2012")
    assert parse_archival("2010-2012/http://example.com/*") == Asked(
        "http://example.com/", "2010", "2012", True
    )
    assert parse_archival("20101010000506789*/http://x/") == Asked("http://x/", "20101010000506")
    assert parse_archival("*/example.com") == Asked("http://example.com")


def test_an_encoded_question_mark_stays_part_of_the_path() -> None:
    found = parse_archival("2014/http://example.com/a%3Fb?c")
    assert isinstance(found, Archival)
    assert found.url == "http://example.com/a%3Fb?c"


@pytest.mark.parametrize("text", ["2014/%20", " ", "%20%20"])
def test_a_path_without_an_address_is_refused(text: str) -> None:
    with pytest.raises(NotArchival):
        parse_archival(text)


def test_what_is_parsed_can_be_written_and_parsed_again() -> None:
    for text in (
        "20131010im_/http://example.com/a",
        "2009*2015/http://example.com/a*",
        "http://example.com/",
    ):
        assert str(parse_archival(text)) == text
