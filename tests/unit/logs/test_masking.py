"""Secrets stay out of the logs."""

from datetime import UTC, datetime

import pytest
from pydantic import SecretStr

from armarium.logs.masking import LONGEST_TEXT, mask_secrets, masked_text
from tests.cost import processor_seconds


@pytest.mark.parametrize(
    "key", ["password", "new_password", "Token", "api_token", "SECRET", "Authorization", "set-cookie", "csrf"]
)
def test_a_value_under_a_secret_name_is_masked(key: str) -> None:
    assert mask_secrets(None, "info", {key: "hunter2"}) == {key: "***"}


def test_secrets_deep_inside_a_value_are_masked() -> None:
    event = {"event": "x", "form": {"name": "ada", "rows": [{"password": "hunter2"}]}}

    assert mask_secrets(None, "info", event) == {
        "event": "x",
        "form": {"name": "ada", "rows": [{"password": "***"}]},
    }


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("postgresql://ada:hunter2@db/armarium", "postgresql://ada:***@db/armarium"),
        ("postgresql+psycopg://ada:hun/ter?2@db/x", "postgresql+psycopg://ada:***@db/x"),
        (
            "at https://u:p@host/a?b=c twice https://u:p@host/",
            "at https://u:***@host/a?b=c twice https://u:***@host/",
        ),
        ("http://host:8080/@ada", "http://host:8080/@ada"),
        ("host=db password=hunter2 user=ada", "host=db password=*** user=ada"),
        ("GET /start?token=abc&next=/", "GET /start?token=***&next=/"),
        ('{"password": "hunter2", "user": "ada"}', '{"password": "***", "user": "ada"}'),
        ("{'api_key': 'hunter2'}", "{'api_key': '***'}"),
        ("Authorization: Basic YWRhOng=", "Authorization: ***"),
        ("sent Bearer abc.def-ghi now", "sent Bearer *** now"),
        ("nothing to hide: the cookie jar", "nothing to hide: the cookie jar"),
    ],
)
def test_secrets_inside_a_text_are_masked(text: str, masked: str) -> None:
    assert masked_text(text) == masked


def test_values_become_plain_ones() -> None:
    event = {
        "n": 1,
        "nothing": None,
        "yes": True,
        "infinite": float("inf"),
        "when": datetime(2025, 3, 1, tzinfo=UTC),
        "bytes": b"caf\xe9",
        "hidden": SecretStr("hunter2"),
    }

    assert mask_secrets(None, "info", event) == {
        "n": 1,
        "nothing": None,
        "yes": True,
        "infinite": "inf",
        "when": "2025-03-01T00:00:00+00:00",
        "bytes": "caf\\xe9",
        "hidden": "**********",
    }


def test_a_structure_that_contains_itself_comes_to_an_end() -> None:
    endless: list[object] = []
    endless.append(endless)

    assert "…" in str(mask_secrets(None, "info", {"endless": endless}))


@pytest.mark.parametrize("piece", ["x", "postgresql://a:", "token", "://a:b", "a-", "cookie: "])
def test_ten_million_hostile_characters_are_cut_short_and_cost_little_time(piece: str) -> None:
    text = piece * (10_000_000 // len(piece))

    with processor_seconds(1):
        masked = masked_text(text)

    assert len(masked) <= LONGEST_TEXT + 1
