"""Passwords are given to those they belong to."""

import pytest
from pydantic import SecretStr

from armarium.core.crawl_order import Credential
from armarium.formats.http import parse_response
from armarium.harvest.fetch.credentials import Challenge, Credentials, digest
from armarium.harvest.fetch.request import target_of

BASIC = Credential(domain="library.org", kind="basic", user="Aladdin", password=SecretStr("open sesame"))
DIGEST = Credential(domain="library.org", kind="digest", user="Mufasa", password=SecretStr("Circle of Life"))
PAGE = target_of("http://www.library.org/x")


def answered(credentials: Credentials, url: str, *challenges: str, sent: bool = False) -> str:
    fields = "".join(f"WWW-Authenticate: {each}\r\n" for each in challenges)
    head = parse_response(f"HTTP/1.1 401 Unauthorized\r\n{fields}\r\n".encode())
    return credentials.answer(head, "GET", target_of(url), sent=sent)


def test_basic_is_given_when_asked_for_and_then_at_once() -> None:
    credentials = Credentials([BASIC])
    assert credentials.header("GET", PAGE) == ""

    given = answered(credentials, "http://www.library.org/x", 'Basic realm="Readers"')

    assert given == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="  # the example of RFC 7617, 2
    assert credentials.header("GET", PAGE) == given


@pytest.mark.parametrize(
    "url", ["http://library.net/", "http://notlibrary.org/", "http://library.org.evil.example/"]
)
def test_another_domain_is_given_nothing(url: str) -> None:
    assert answered(Credentials([BASIC, DIGEST]), url, 'Basic realm="x"', 'Digest realm="x"') == ""


def test_a_realm_that_is_not_ours_is_given_nothing() -> None:
    credential = BASIC.model_copy(update={"realm": "Readers"})

    assert answered(Credentials([credential]), "http://library.org/", 'Basic realm="Staff"') == ""
    assert answered(Credentials([credential]), "http://library.org/", 'Basic realm="Readers"')


def test_what_was_refused_is_not_given_again() -> None:
    credentials = Credentials([BASIC])
    answered(credentials, "http://www.library.org/x", "Basic")

    assert answered(credentials, "http://www.library.org/x", "Basic", sent=True) == ""
    assert credentials.header("GET", PAGE) == ""


def test_digest_is_computed_as_in_the_standard() -> None:
    """RFC 2617, 3.5 without quality of protection: RFC 2069's form, which needs no chance."""
    parameters = {
        "realm": "testrealm@host.com",
        "nonce": "dcd98b7102dd2f0e8b11d0f600bfb0c093",
        "opaque": "5ccc",
    }

    given = digest("Mufasa", "CircleOfLife", Challenge("digest", parameters), "GET", "/dir/index.html")

    assert 'response="1949323746fe6a43ef61f9606e7febea"' in given
    assert 'opaque="5ccc"' in given
    assert "nc=" not in given


def test_digest_counts_how_often_a_nonce_is_used() -> None:
    credentials = Credentials([DIGEST])
    challenge = 'Digest realm="x", qop="auth,auth-int", algorithm=SHA-256, nonce="n"'

    assert "nc=00000001" in answered(credentials, "http://www.library.org/x", challenge)
    assert "nc=00000002" in credentials.header("GET", PAGE)
    assert "algorithm=SHA-256" in credentials.header("GET", PAGE)


def test_a_nonce_that_has_run_out_is_worth_another_try() -> None:
    credentials = Credentials([DIGEST])
    answered(credentials, "http://www.library.org/x", 'Digest realm="x", nonce="old"')

    again = 'Digest realm="x", nonce="new", stale=TRUE'
    assert 'nonce="new"' in answered(credentials, "http://www.library.org/x", again, sent=True)


@pytest.mark.parametrize(
    "challenge", ['Digest realm="x", algorithm=Whirlpool', 'Digest qop="auth-int"', "Bearer"]
)
def test_what_we_cannot_do_is_not_tried(challenge: str) -> None:
    assert answered(Credentials([BASIC, DIGEST]), "http://library.org/", challenge) == ""


def test_of_two_challenges_in_one_line_the_stronger_is_answered() -> None:
    line = 'Basic realm="a, digest b", Digest realm="c", nonce="n"'

    assert answered(Credentials([BASIC, DIGEST]), "http://library.org/", line).startswith("Digest ")
