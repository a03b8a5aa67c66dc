"""What of an address goes where."""

import pytest

from armarium.harvest.fetch.request import Unfetchable, target_of


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
