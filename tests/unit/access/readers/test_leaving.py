"""When cookies of the whole domain go at the end of a session, and when they would be others'."""

from typing import cast
from urllib.parse import parse_qs, urlsplit

import pytest

from armarium.access.readers.cookies import Cookies, Purpose, Seals
from armarium.access.readers.identification import LiveReaders
from armarium.access.readers.tickets import Tickets
from armarium.access.settings import AccessSettings

SEALS = Seals(b"k" * 32)
LIBRARY = ("https://reading.library.example", "https://content.library.example")
APART = ("https://reading.library.example", "https://library-content.example")


@pytest.mark.parametrize(
    ("origins", "kiosk", "staff", "whole"),
    [
        (APART, False, False, True),  # nobody else's cookies are there
        (APART, False, True, True),
        (LIBRARY, False, False, False),  # at home, with a catalogue open beside it
        (LIBRARY, True, False, True),
        (LIBRARY, True, True, False),  # the staff site is in the same domain
    ],
)
def test_cookies_go_where_they_are_the_content_s_or_the_machine_is_the_library_s(
    origins: tuple[str, str], kiosk: bool, staff: bool, whole: bool
) -> None:
    settings = AccessSettings(reading_url=origins[0], content_url=origins[1], kiosk=kiosk)
    readers = cast(LiveReaders, None)  # who reads is not asked here
    address = Tickets(settings, SEALS, Cookies(settings), readers).leave_src(staff=staff)
    assert address.startswith(f"{origins[1]}/-/leave?")
    facts = SEALS.opened(Purpose.LEAVE, parse_qs(urlsplit(address).query)["ticket"][0])
    assert facts is not None
    assert bool(facts["whole"]) is whole
