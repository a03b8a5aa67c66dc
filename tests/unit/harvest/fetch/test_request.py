"""Where a request goes, and its bytes."""

import pytest

from armarium import __version__
from armarium.core.crawl_order import Fetching, Identity
from armarium.harvest.fetch.request import RequestWriter, Unfetchable, as_recorded, conditional, target_of

TARGET = target_of("http://a.example:81/x?y")


def test_a_request_says_who_asks() -> None:
    identity = Identity(contact="https://library.example/crawler", mail="crawler@library.example")
    request = RequestWriter(Fetching(accept_language="fr"), identity).write("GET", TARGET)

    head = request.decode().split("\r\n")
    assert head[:2] == ["GET /x?y HTTP/1.1", "Host: a.example:81"]
    assert (
        f"User-Agent: Mozilla/5.0 (compatible; armarium/{__version__} +https://library.example/crawler)"
        in head
    )
    assert "From: crawler@library.example" in head
    assert "Accept-Language: fr" in head
    assert "Accept-Encoding: gzip, deflate, br" in head
    assert head[-2:] == ["", ""]


def test_a_value_cannot_begin_another_line() -> None:
    request = RequestWriter(Fetching(), Identity()).write(
        "GET", TARGET, [("If-None-Match", '"a"\r\nX-Evil: 1\r\n\r\nGET / HTTP/1.1')]
    )

    assert request.count(b"\r\n\r\n") == 1
    assert b"\r\nX-Evil" not in request


def test_a_body_is_announced() -> None:
    request = RequestWriter(Fetching(), Identity()).write("POST", TARGET, [("X-A", "1")], b"a=b")

    assert request.endswith(b"X-A: 1\r\nContent-Length: 3\r\n\r\na=b")


def test_passwords_are_not_recorded() -> None:
    request = RequestWriter(Fetching(), Identity()).write(
        "POST", TARGET, [("Authorization", "Basic c2VjcmV0"), ("proxy-authorization", "Digest x=y")], b"b"
    )

    recorded = as_recorded(request)
    assert b"Authorization: Basic withheld\r\n" in recorded
    assert b"proxy-authorization: Digest withheld\r\n" in recorded
    assert b"c2VjcmV0" not in recorded
    assert recorded.endswith(b"\r\n\r\nb")


def test_a_request_without_passwords_is_recorded_as_sent() -> None:
    request = RequestWriter(Fetching(), Identity()).write("GET", TARGET)

    assert as_recorded(request) is request


def test_a_conditional_request_asks_with_what_is_known() -> None:
    assert conditional() == []
    assert conditional('"a"') == [("If-None-Match", '"a"')]
    assert conditional('"a"', "Sun, 15 Nov 2026 07:00:00 GMT") == [
        ("If-None-Match", '"a"'),
        ("If-Modified-Since", "Sun, 15 Nov 2026 07:00:00 GMT"),
    ]


@pytest.mark.parametrize(
    ("url", "host", "port", "authority", "path"),
    [
        ("http://a.example/", "a.example", 80, "a.example", "/"),
        ("https://a.example/x?y=1", "a.example", 443, "a.example", "/x?y=1"),
        ("http://a.example:8080/x#part", "a.example", 8080, "a.example:8080", "/x"),
        ("http://a.example", "a.example", 80, "a.example", "/"),
        ("http://a.example?q=/x", "a.example", 80, "a.example", "/?q=/x"),
        ("http://me:secret@a.example/x", "a.example", 80, "a.example", "/x"),
        ("http://[::1]:81/", "::1", 81, "[::1]:81", "/"),
        ("http://127.0.0.1/", "127.0.0.1", 80, "127.0.0.1", "/"),
        ("http://a.example/ä b", "a.example", 80, "a.example", "/%C3%A4%20b"),
    ],
)
def test_an_address_is_taken_apart(url: str, host: str, port: int, authority: str, path: str) -> None:
    target = target_of(url)

    assert (target.origin.host, target.origin.port) == (host, port)
    assert (target.origin.authority, target.path) == (authority, path)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "x",
        "ftp://a.example/",
        "http://",
        "http://a.example:0/",
        "http://a.example:70000/",
        "//a/",
    ],
)
def test_what_http_cannot_ask_for_is_refused(url: str) -> None:
    with pytest.raises(Unfetchable):
        target_of(url)


def test_nothing_in_an_address_can_begin_another_line() -> None:
    target = target_of("http://a.example/x\r\nX-Evil: 1")

    assert "\n" not in target.path
    assert target.origin.host == "a.example"
