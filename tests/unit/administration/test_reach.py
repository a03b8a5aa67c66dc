from datetime import UTC, datetime

import pytest

from armarium.accounts.model import Account, Identity, Permission, Role
from armarium.administration.accounts import refuse_beyond
from armarium.core.errors import Forbidden


def holder_of(*permissions: Permission) -> Identity:
    since = datetime(2026, 1, 1, tzinfo=UTC)
    account = Account(1, "ada", "Ada", "", "", frozenset(), True, True, since, None)
    return Identity(account, frozenset(permissions))


def test_nobody_hands_out_more_than_they_may_do() -> None:
    with pytest.raises(Forbidden, match=r"tasks\.view"):
        refuse_beyond(holder_of(Permission.ACCOUNTS_MANAGE, Permission.SYSTEM_VIEW), [], [Role.CURATOR])
    with pytest.raises(Forbidden):
        refuse_beyond(holder_of(Permission.ACCOUNTS_MANAGE), [Role.ADMINISTRATOR], [])


def test_what_one_may_do_oneself_can_be_handed_out() -> None:
    refuse_beyond(holder_of(Permission.ACCOUNTS_MANAGE), [], [Role.READER])
    refuse_beyond(holder_of(*Permission), [Role.ADMINISTRATOR], [Role.ENGINEER])
