"""Whether a request is somebody's doing, or a page's own."""

import pytest

from armarium.access.readers.identification import Claims, by_a_person, facts_of, from_facts
from armarium.access.requests.site import Caller


@pytest.mark.parametrize(
    ("content", "headers", "person"),
    [
        (False, {}, True),
        (False, {"x-part": "1"}, False),
        (True, {}, True),  # a browser that does not tell
        (True, {"sec-fetch-mode": "navigate", "sec-fetch-user": "?1"}, True),
        (True, {"sec-fetch-mode": "navigate"}, False),  # a page that sends itself on
        (True, {"sec-fetch-mode": "no-cors"}, False),
    ],
)
def test_only_what_a_person_does_keeps_a_session_alive(
    content: bool, headers: dict[str, str], person: bool
) -> None:
    assert by_a_person(Caller({}, headers, "127.0.0.1", content)) is person


def test_what_a_ticket_carries_comes_out_as_it_went_in() -> None:
    shown = Claims(7, "word", True, "mark")
    assert from_facts(facts_of(shown)) == shown
