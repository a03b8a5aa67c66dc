"""What the supervisor has to say waits for the database."""

import pytest

from armarium.core.errors import Unavailable
from armarium.server.up import patiently


def test_what_cannot_be_said_yet_is_said_when_the_database_is_back() -> None:
    outage = [Unavailable("away"), Unavailable("away")]

    def say() -> str:
        if outage:
            raise outage.pop()
        return "said"

    assert patiently(say, pause=0) == "said"


def test_patience_has_an_end() -> None:
    def say() -> str:
        raise Unavailable("away")

    with pytest.raises(Unavailable):
        patiently(say, patience=0, pause=0)
