import pytest

from armarium.access.replay.headers import Guards
from armarium.access.replay.model import Reply
from armarium.access.replay.own_addresses import choose, chosen_days
from armarium.access.settings import AccessSettings

SETTINGS = AccessSettings()


def chosen(query: str) -> Reply:
    return choose(SETTINGS, Guards(SETTINGS), query)


def header(reply: Reply, name: str) -> str:
    return next(value for known, value in reply.headers if known == name)


@pytest.mark.parametrize(
    ("cookie", "days"), [("30", 30), ("0", 0), ("", 0), (None, 0), ("-1", 0), ("9" * 9, 0), ("²", 0)]
)
def test_only_a_number_of_days_is_a_choice(cookie: str | None, days: int) -> None:
    assert chosen_days(cookie) == days


def test_the_choice_is_kept_for_pages_in_a_frame() -> None:
    reply = chosen("days=30&to=/all/20200101000000mp_/http://example.com/")
    assert header(reply, "Location") == "/all/20200101000000mp_/http://example.com/"
    assert header(reply, "Set-Cookie").startswith("armarium_spread=30; Path=/; ")
    assert "SameSite=None; Secure; Partitioned" in header(reply, "Set-Cookie")


def test_no_days_forget_the_choice() -> None:
    assert "Max-Age=0" in header(chosen("days=0&to=/"), "Set-Cookie")


@pytest.mark.parametrize(
    "target", ["//evil.example/", "/\\evil.example", "http://evil.example/", "/-/leave", "/%0Ax"]
)
def test_it_leads_to_archived_pages_only(target: str) -> None:
    assert header(chosen(f"days=1&to={target}"), "Location") == "/"
