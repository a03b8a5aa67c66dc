"""What those are told who failed too often."""

from datetime import timedelta

import pytest

from armarium.accounts.model import Throttled


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0.2, "in a second."), (1.4, "in a second."), (1.6, "in 2 seconds."), (90, "in 90 seconds.")],
)
def test_how_long_to_wait_is_said_as_people_say_it(seconds: float, told: str) -> None:
    assert str(Throttled(timedelta(seconds=seconds))).endswith(f"Try again {told}")
