import pytest

from armarium.access.origins.content import home_of

CONTENT = "http://127.0.0.1:8090"
PAGE = f"{CONTENT}/all/20200101000000mp_/http://example.com/a/b.html?x=1"


@pytest.mark.parametrize(
    ("path", "home"),
    [
        ("/style.css", "/all/20200101000000mp_/http://example.com/style.css"),
        ("/api?q=1", "/all/20200101000000mp_/http://example.com/api?q=1"),
        ("//cdn.example.org/x.js", "/all/20200101000000mp_/http://cdn.example.org/x.js"),
    ],
)
def test_a_stray_request_is_sent_to_where_its_page_lies(path: str, home: str) -> None:
    assert home_of(CONTENT, path, PAGE) == home


@pytest.mark.parametrize(
    "referrer",
    ["", "http://evil.example/all/20200101000000mp_/http://example.com/", f"{CONTENT}/all/", f"{CONTENT}/"],
)
def test_without_an_archived_page_behind_it_nobody_knows_whose_it_was(referrer: str) -> None:
    assert home_of(CONTENT, "/style.css", referrer) is None


def test_a_page_that_claims_our_own_origin_is_not_followed() -> None:
    referrer = f"{CONTENT}/all/20200101000000mp_/{CONTENT}/all/"
    assert home_of(CONTENT, "/x", referrer) is None
