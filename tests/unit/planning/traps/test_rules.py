"""Traps tried on pasted addresses."""

import pytest

from armarium.core.errors import Refused
from armarium.planning.traps.rules import MOST_ADDRESSES, TrapList, Verdict, tried

CALENDARS = TrapList(1, "calendars", "", True, ["/calendar/[0-9]{4}/", "month="], 1)
SHOPS = TrapList(2, "shops", "", True, ["/cart\\?", "month=12"], 1)


def test_the_first_expression_that_finds_an_address_is_named() -> None:
    pasted = (
        "http://example.org/calendar/2026/11\n\n  http://example.org/?month=12  \nhttp://EXAMPLE.org/news"
    )
    assert tried([CALENDARS, SHOPS], pasted) == [
        Verdict("http://example.org/calendar/2026/11", "calendars", "/calendar/[0-9]{4}/"),
        Verdict("http://example.org/?month=12", "calendars", "month="),
        Verdict("http://EXAMPLE.org/news"),
    ]


def test_an_address_is_tried_as_the_crawler_would_write_it() -> None:
    lists = [TrapList(1, "hosts", "", True, ["^http://shop\\.example/"], 1)]
    assert tried(lists, "HTTP://SHOP.EXAMPLE:80/")[0].expression


def test_what_is_no_address_does_no_harm() -> None:
    assert tried([CALENDARS], "http://[nonsense") == [Verdict("http://[nonsense")]


def test_a_flood_of_addresses_is_refused() -> None:
    with pytest.raises(Refused):
        tried([CALENDARS], "http://example.org/\n" * (MOST_ADDRESSES + 1))
