"""Retry-After, in both forms and with clocks that are wrong."""

from datetime import UTC, datetime

import pytest

from armarium.formats.http import parse_response
from armarium.harvest.frontier.servers import retry_after

NOON = datetime(2026, 11, 15, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("fields", "seconds"),
    [
        ("", None),
        ("Retry-After: 120", 120),
        ("Retry-After:   7  ", 7),
        ("Retry-After: 0", 0),
        ("Retry-After: -5", None),
        ("Retry-After: soon", None),
        ("Retry-After: 1.5", None),
        ("Retry-After: 99999999999999999999", None),
        ("Retry-After: Sun, 15 Nov 2026 12:01:00 GMT", 60),
        ("Retry-After: Sun, 15 Nov 2026 11:00:00 GMT", 0),
        ("Date: Sun, 15 Nov 2026 18:00:00 GMT\r\nRetry-After: Sun, 15 Nov 2026 18:00:30 GMT", 30),
    ],
)
def test_what_a_server_asks_for(fields: str, seconds: float | None) -> None:
    separator = "\r\n" if fields else ""
    head = parse_response(f"HTTP/1.1 503 Busy\r\n{fields}{separator}\r\n".encode())

    assert retry_after(head, NOON) == seconds


def test_who_did_not_answer_asks_for_nothing() -> None:
    assert retry_after(None, NOON) is None
