"""Which origins are our own."""

import pytest
from starlette.datastructures import Headers

from armarium.web.guard import is_foreign

OUTSIDE = "https://archive.example"


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://localhost:8000", "localhost:8000"),
        ("https://archive.example", "web1.internal:8000"),  # the proxy names the machine behind it
        ("https://archive.example:443", "archive.example"),
        ("https://ARCHIVE.example", "archive.EXAMPLE"),
    ],
)
def test_a_page_of_ours_is_known_behind_whatever_proxy(origin: str, host: str) -> None:
    assert not is_foreign(Headers({"origin": origin, "host": host}), OUTSIDE)


def test_a_port_that_the_proxy_left_out_is_known_from_the_settings() -> None:
    headers = Headers({"origin": "https://archive.example:8443", "host": "archive.example"})
    assert is_foreign(headers, OUTSIDE)
    assert not is_foreign(headers, f"{OUTSIDE}:8443")


@pytest.mark.parametrize("host", ["localhost:8000", "localhost"])
@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "",
        "https://evil.example",
        "http://localhost:8001",
        "http://localhost:8000@evil.example",
        "http://user@localhost",
        "ftp://localhost:8000",
        "http://localhost:x",
    ],
)
def test_other_pages_are_not_ours(origin: str, host: str) -> None:
    assert is_foreign(Headers({"origin": origin, "host": host}), OUTSIDE)


def test_every_origin_must_be_ours() -> None:
    named = [(b"host", b"localhost"), (b"origin", b"http://localhost"), (b"origin", b"http://evil.example")]
    assert is_foreign(Headers(raw=named), OUTSIDE)
