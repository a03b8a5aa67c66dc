"""Who somebody is is remembered for seconds, no longer."""

import pytest

from armarium.access.readers import sessions
from armarium.accounts.model import Profile
from armarium.core.actor import SYSTEM
from tests.integration.access.readers.world import ReadingRoom
from tests.site import wait_until


def test_a_blocked_account_is_out_within_five_seconds(
    room: ReadingRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sessions.FRESH < 5
    monkeypatch.setattr(sessions, "FRESH", 0.5)
    amelie = room.signed_in("amelie")
    assert amelie.who()["account"]
    account = room.accounts.named("amelie")
    room.accounts.change(SYSTEM, account.id, Profile("amelie", "Amelie", "", "", account.roles, active=False))
    wait_until(lambda: amelie.who()["account"] is None)
