from datetime import UTC, datetime

import pytest

from armarium.access.proxy.headers import dressed, preflight, session_cookie
from armarium.access.proxy.request import NOBODY, ProxyRequest

CAPTURED = datetime(2020, 1, 1, tzinfo=UTC)


def _asked(method: str = "GET", **headers: str) -> ProxyRequest:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return ProxyRequest(method, "https://example.org/", named, b"", "192.0.2.1", NOBODY, True)


@pytest.mark.parametrize(
    "name",
    [
        "Strict-Transport-Security",
        "Public-Key-Pins",
        "Alt-Svc",
        "Clear-Site-Data",
        "NEL",
        "Report-To",
        "Service-Worker-Allowed",
        "Content-Security-Policy",
        "WWW-Authenticate",
        "Proxy-Authenticate",
        "ETag",
        "Expires",
    ],
)
def test_what_would_outlive_the_visit_is_taken_out(name: str) -> None:
    kept = dressed([(name, "x"), ("X-Powered-By", "Perl")], _asked(), CAPTURED)
    assert name.lower() not in {one.lower() for one, _ in kept}
    assert ("X-Powered-By", "Perl") in kept


def test_nothing_of_the_archive_stays_in_the_cache() -> None:
    kept = dressed([("Cache-Control", "public, max-age=31536000, immutable")], _asked(), CAPTURED)
    assert [value for name, value in kept if name.lower() == "cache-control"] == ["no-store"]


@pytest.mark.parametrize(
    ("recorded", "kept"),
    [
        ("a=1; Path=/; Expires=Wed, 01 Jan 2031 00:00:00 GMT; Secure", "a=1; Path=/; Secure"),
        ("a=1; Max-Age=3600; Domain=.example.org", "a=1; Domain=.example.org"),
        ("a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "a=; Max-Age=0"),
        ("a=; max-age=0", "a=; Max-Age=0"),
        ("a=; max-age=-1", "a=; Max-Age=0"),
        ("a=1", "a=1"),
    ],
)
def test_cookies_end_with_the_browser_and_unset_ones_are_unset(recorded: str, kept: str) -> None:
    assert session_cookie(recorded, CAPTURED) == kept


def test_a_cookie_that_was_good_at_its_time_is_not_taken_for_one_that_has_ended() -> None:
    until = "a=1; Expires=Wed, 01 Jul 2020 00:00:00 GMT"
    assert session_cookie(until, CAPTURED) == "a=1"


def test_archived_sites_may_read_each_other() -> None:
    kept = dressed(
        [("Access-Control-Allow-Origin", "https://old.test")], _asked(origin="https://a.test"), None
    )
    assert [value for name, value in kept if name == "Access-Control-Allow-Origin"] == ["https://a.test"]


def test_a_preflight_is_answered_although_nobody_has_recorded_it() -> None:
    asked = _asked(
        "OPTIONS",
        origin="https://a.test",
        access_control_request_method="PUT",
        access_control_request_headers="x-own",
    )
    allowed = dict(preflight(asked) or [])
    assert allowed["Access-Control-Allow-Methods"] == "PUT"
    assert allowed["Access-Control-Allow-Headers"] == "x-own"
    assert preflight(_asked("OPTIONS")) is None
