"""Forms of pages, filled in as a browser does."""

from urllib.parse import parse_qsl

import pytest

from armarium.core.crawl_order import Credential
from armarium.formats.text import ENCODINGS
from armarium.harvest.fetch.login_form import login_form
from armarium.harvest.fetch.logins import leads_astray
from tests.growth import assert_linear

GIVEN = {"user": "reader", "password": "secret"}
PAGE = "https://example.org/account/login?next=/"


def sent(page: str, given: dict[str, str] = GIVEN, encoding: str = "utf-8") -> list[tuple[str, str]]:
    form = login_form(page.encode(encoding), encoding, PAGE, given)
    assert form is not None
    return parse_qsl(form.filled(given).decode(), keep_blank_values=True, encoding=encoding)


def in_form(fields: str) -> str:
    return f"<form method=post><input name=user><input type=password name=password>{fields}</form>"


@pytest.mark.parametrize(
    ("fields", "more"),
    [
        ("<input type=hidden name=t value='a&amp;b'>", [("t", "a&b")]),
        ("<input type=checkbox name=stay>", []),
        ("<input type=checkbox name=stay checked>", [("stay", "on")]),
        ("<input type=radio name=r value=1><input type=radio name=r value=2 checked>", [("r", "2")]),
        ("<select name=s><option value=1>a<option value=2 selected>b</select>", [("s", "2")]),
        ("<select name=s><option value=1>a<option value=2>b</select><select name=e></select>", [("s", "1")]),
        ("<textarea name=x>some &lt;text</textarea>", [("x", "some <text")]),
        ("<input type=hidden name=t value=1 disabled><input type=file name=f>", []),
        ("<button name=go value=in>In</button><button name=other>Out</button>", [("go", "in")]),
        ("<input type=submit name=go value=in><input type=reset name=r>", [("go", "in")]),
    ],
)
def test_what_a_browser_sends_is_sent(fields: str, more: list[tuple[str, str]]) -> None:
    assert sent(in_form(fields)) == [("user", "reader"), ("password", "secret"), *more]


def test_a_given_field_takes_the_place_of_the_pages_and_others_follow() -> None:
    given = {**GIVEN, "lang": "fr", "stay": "1"}
    found = sent(in_form("<input type=hidden name=lang value=de>"), given)
    assert found == [("user", "reader"), ("password", "secret"), ("lang", "fr"), ("stay", "1")]


def test_it_is_sent_in_the_encoding_of_the_page() -> None:
    page = in_form("<input type=hidden name=t value='é'>")
    assert ("t", "é") in sent(page, encoding="iso-8859-1")


def test_the_form_with_the_fields_and_a_password_is_taken_before_others() -> None:
    search, news = "<form><input name=user></form>", "<form method=post action=/news><input name=user></form>"
    login = in_form("").replace("method=post", "method=post action=/in")
    form = login_form(f"<base href=/a/>{search}{news}{login}{news}".encode(), None, PAGE, GIVEN)
    assert form is not None
    assert form.action == "https://example.org/in"
    assert login_form(search.encode(), None, PAGE, GIVEN) is None


def test_a_form_without_an_address_is_sent_to_its_page() -> None:
    form = login_form(in_form("").encode(), None, PAGE, GIVEN)
    assert form is not None
    assert form.action == PAGE


@pytest.mark.parametrize(
    ("login", "page", "action", "astray"),
    [
        ("https://example.org/in", "https://example.org/in", "https://login.example.org/in", False),
        ("http://example.org/in", "http://example.org/in", "http://example.org/in", False),
        ("https://example.org/in", "https://example.org/in", "http://example.org/in", True),
        ("https://example.org/in", "http://example.org/in", "http://example.org/in", True),
        ("http://example.org/in", "https://example.org/in", "http://example.org/in", True),
        ("https://example.org/in", "https://example.org/in", "javascript:send()", True),
        ("https://example.org/in", "https://example.org/in", "https://evil.example/in", True),
        ("https://example.org/in", "https://evil.example/", "https://example.org/comments", True),
        ("https://example.org/in", "https://example.org/in", "https://example.org@evil.example/", True),
    ],
)
def test_what_was_entered_stays_at_its_site_and_never_travels_in_clear(
    login: str, page: str, action: str, astray: bool
) -> None:
    credential = Credential(domain="example.org", kind="form", login_url=login)
    assert leads_astray(credential, page, action) is astray


@pytest.mark.parametrize("charset", sorted({*ENCODINGS, "utf-32", "nonsense"}))
def test_a_form_of_a_page_in_any_encoding_can_be_sent(charset: str) -> None:
    form = login_form(in_form("<input type=hidden name=t value=1>").encode(), charset, PAGE, GIVEN)
    assert form is None or form.filled({**GIVEN, "user": "Zoë \ud800"}).startswith(b"user=Zo")


def test_hostile_pages_take_linear_time() -> None:
    words = [
        "<form method=post>",
        "<input name=user>",
        "<textarea name=a>",
        "&lt;",
        "<option>",
        "<select name=s>",
    ]
    assert_linear(lambda page: login_form(page, None, PAGE, GIVEN), words)
