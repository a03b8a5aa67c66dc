import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armarium.access.rewrite import (
    CookieScope,
    Links,
    PageInfo,
    head_insert,
    replayed_cookie,
    replayed_headers,
)

LINKS = Links("http://localhost:8091/all/", "20130101000000", "http://example.com/a/b")
HERE = "http://localhost:8091/all/20130101000000mp_/"


@pytest.mark.parametrize(
    "name",
    [
        "Content-Security-Policy",
        "Content-Security-Policy-Report-Only",
        "Strict-Transport-Security",
        "Public-Key-Pins",
        "Report-To",
        "NEL",
        "Reporting-Endpoints",
        "Clear-Site-Data",
        "Service-Worker-Allowed",
        "SourceMap",
        "Access-Control-Allow-Origin",
        "Permissions-Policy",
        "Cross-Origin-Opener-Policy",
        "Alt-Svc",
        "X-DNS-Prefetch-Control",
        "Set-Login",
        "Server-Timing",
        "Memento-Datetime",
        "Document-Policy",
        "Origin-Agent-Cluster",
        "Speculation-Rules",
        "Supports-Loading-Mode",
        "X-Frame-Options",
        "X-SourceMap",
        "X-Reproxy-URL",
        "X-Accel-Redirect",
        "X-Sendfile",
        "Cache-Control",
        "Upgrade-Insecure-Requests",
        "Delete-Everything",
    ],
)
@pytest.mark.parametrize("identity", [True, False])
def test_a_field_that_acts_is_only_told(name: str, identity: bool) -> None:
    fields = replayed_headers([(name, "x")], LINKS, rewritten=not identity, identity=identity)
    assert fields == [(f"X-Archive-Orig-{name}", "x")]


def test_addresses_lead_into_the_archive_but_not_for_the_identity() -> None:
    fields = [("Location", "/c"), ("Content-Location", "//x/d"), ("Refresh", "5; url=/e")]
    assert replayed_headers(fields, LINKS, rewritten=True) == [
        ("Location", f"{HERE}http://example.com/c"),
        ("Content-Location", f"{HERE}http://x/d"),
        ("Refresh", f"5; url={HERE}http://example.com/e"),
    ]
    assert replayed_headers(fields, LINKS, rewritten=False, identity=True) == fields


def test_links_to_other_hosts_are_not_warmed() -> None:
    value = '<https://cdn.x>; rel=preconnect, </a.css>; rel=preload; as=style, <http://x/>; rel="memento"'
    assert replayed_headers([("Link", value)], LINKS, rewritten=True) == [
        (
            "Link",
            "<http://localhost:8091/all/20130101000000cs_/http://example.com/a.css>; rel=preload; as=style",
        )
    ]


def test_length_and_coding_are_true_only_of_the_body_as_it_was() -> None:
    fields = [("Content-Length", "5"), ("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked")]
    assert replayed_headers(fields, LINKS, rewritten=False) == fields[:2]
    assert replayed_headers(fields, LINKS, rewritten=True) == [
        ("X-Archive-Orig-Content-Length", "5"),
        ("X-Archive-Orig-Content-Encoding", "gzip"),
    ]


def test_the_charset_of_a_recoded_body_is_told() -> None:
    fields = replayed_headers(
        [("Content-Type", "text/html; charset=utf-16")], LINKS, rewritten=True, charset="utf-8"
    )
    assert fields == [("Content-Type", "text/html; charset=utf-8")]


@given(st.text(max_size=20), st.text(max_size=40))
def test_no_field_breaks_the_header(name: str, value: str) -> None:
    for fields in (
        [(name, value)],
        [("Location", value)],
        [("Set-Cookie", f"a={value}")],
        [("X-Own", value)],
    ):
        for found, content in replayed_headers(fields, LINKS, rewritten=True):
            assert re.fullmatch(r"[!-9;-~]+", found)
            assert not re.search(r"[\r\n\0]", content)
            content.encode("latin-1")


@pytest.mark.parametrize(
    ("written", "replayed"),
    [
        ("a=b; Path=/", "a=b; Path=/all/20130101000000mp_/http://example.com/"),
        ("a=b; Domain=.example.com; Path=/; Max-Age=5", "a=b; Path=/all/"),
        ("a=b; Secure; SameSite=None; Expires=Wed, 13 Jan 2021 22:23:01 GMT", "a=b"),
        ("a=b; Max-Age=5", "a=b"),
        ("a=; Max-Age=0", "a=; Max-Age=0"),
        ("a=; Max-Age=-1; Path=/", "a=; Max-Age=0; Path=/all/20130101000000mp_/http://example.com/"),
        ("a=b; Path=file.html", "a=b"),
        ("__Host-a=b; Secure; Path=/", None),
        ("a b=c", None),
        ("novalue", None),
    ],
)
def test_a_cookie_stays_where_its_page_is(written: str, replayed: str | None) -> None:
    assert replayed_cookie(written, LINKS) == replayed


def test_cookies_can_be_kept_out() -> None:
    assert replayed_cookie("a=b", LINKS, CookieScope.NONE) is None


def test_no_value_ends_the_script_it_stands_in() -> None:
    links = Links("http://localhost:8091/all/", "20130101000000", "http://x/</script><!--\u2028'&")
    insert = head_insert(PageInfo(links, top_url="</script>", collection="<!--"))
    assert insert.count(b"</script>") == insert.count(b"<script")
    assert insert.isascii()
    assert b'"wombat_sec":"1356998400"' in insert
    assert b"wombat.js" not in head_insert(PageInfo(links, "x", "y", wombat=False))
