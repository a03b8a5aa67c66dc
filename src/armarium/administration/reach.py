"""Whose account somebody may make or change: nobody hands out, or takes over, more than they may do.

A token that may manage accounts and nothing else could otherwise make an administrator, or give one a new
password, and so become one.
"""

from collections.abc import Collection

from armarium.accounts.model import Identity, Role
from armarium.accounts.rules import permissions_of
from armarium.core.errors import Forbidden
from armarium.core.message import message


def refuse_beyond(visitor: Identity, *roles: Collection[Role]) -> None:
    """`roles`: those that the account has, and those that it shall have."""
    lacking = permissions_of({role for several in roles for role in several}) - visitor.permissions
    if lacking:
        raise Forbidden(
            message(
                "This account may do more than you, or more than your API token: %(names)s.",
                names=", ".join(sorted(lacking)),
            )
        )
