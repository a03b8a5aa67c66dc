"""Which origins are our own."""

import pytest
from starlette.datastructures import Headers

from armarium.web.foreign import is_foreign

OUTSIDE = "https://archive.example"


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://localhost:8000", "localhost:8000"),
        ("https://archive.example", "web1.internal:8000"),  # the proxy names the machine behind it
        ("https://archive.example:8443", "archive.example"),  # the proxy left the port out
        ("https://ARCHIVE.example", "archive.EXAMPLE"),
    ],
)
def test_a_page_of_ours_is_known_behind_whatever_proxy(origin: str, host: str) -> None:
    assert not is_foreign(Headers({"origin": origin, "host": host}), OUTSIDE)


@pytest.mark.parametrize(
    "origin",
    ["null", "", "https://evil.example", "http://localhost:8001", "http://localhost:8000@evil.example"],
)
def test_other_pages_are_not_ours(origin: str) -> None:
    assert is_foreign(Headers({"origin": origin, "host": "localhost:8000"}), OUTSIDE)
