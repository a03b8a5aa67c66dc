"""The matrix that comes with Armarium, until somebody makes another."""

from itertools import product

from sqlalchemy import Connection

from armarium.core.message import Message, message
from armarium.selection.collections import queries
from armarium.selection.collections.model import EVERYTHING
from armarium.selection.model import Budget, Combination, Depth, Frequency

B, F, D = Budget, Frequency, Depth

TOO_OFTEN = message("Too much, too often: one harvest would not be finished before the next begins.")
ONE_PAGE = message("A single page needs no more than a small budget.")
TOO_SMALL = message("A whole domain does not fit into a small budget.")

#: Of these the first that fits gives the reason.
RULES: tuple[tuple[Message, frozenset[Combination]], ...] = (
    (ONE_PAGE, frozenset(Combination(*one) for one in product((B.MEDIUM, B.LARGE), F, (D.PAGE,)))),
    (
        TOO_OFTEN,
        frozenset(
            Combination(*one)
            for one in (
                *product(B, (F.DAILY,), (D.HOST, D.DOMAIN)),
                *product((B.LARGE,), (F.DAILY,), D),
                *product(B, (F.WEEKLY,), (D.DOMAIN,)),
            )
        ),
    ),
    (TOO_SMALL, frozenset(Combination(*one) for one in product((B.SMALL,), F, (D.DOMAIN,)))),
)


def ensure(connection: Connection) -> None:
    """Enter it on a fresh installation; may be called at every start.

    Whoever emptied the matrix wants it empty: the audit log knows.
    """
    if queries.the_matrix(connection).refused or queries.matrix_was_changed(connection):
        return
    refused = {
        one: next(reason.template for reason, members in RULES if one in members)
        for one in EVERYTHING
        if any(one in members for _, members in RULES)
    }
    queries.put_matrix(connection, refused)
