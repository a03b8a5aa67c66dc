"""What access says on the overview: addresses that somebody missed while looking, and how much is read."""

from collections.abc import Iterator

from armarium.access import overview_queries as queries
from armarium.accounts.model import Permission
from armarium.core.message import message
from armarium.web.overview import Asked, Contribution, Figure, Series, Urgency, Waiting

P = Permission


def waits(asked: Asked) -> Iterator[Waiting]:
    if not asked.may(P.VIEWER_USE):
        return
    with asked.database.transaction() as connection:
        found = queries.missing_of(connection, asked.identity.account.id)
    yield Waiting(
        message("Addresses missing in your viewings"),
        sum(one.addresses for one in found),
        f"/access/viewings/{found[0].id}" if len(found) == 1 else "/access/viewings",
        message("Hand them to a harvest, or leave them out."),
        Urgency.SOMETIME,
    )


def figures(asked: Asked) -> Iterator[Figure]:
    """Nothing of it says who."""
    if not asked.may(P.ACCESS_VIEW) or not (asked.may(P.SYSTEM_VIEW) or asked.may(P.ACCESS_RULES)):
        return
    with asked.database.transaction() as connection:
        visits, pages = queries.read_by_day(connection, asked.days[0])
    yield Figure("visits", message("Readers’ visits"), (Series(message("Visits"), visits),), "/access/use")
    shown = (Series(message("Pages"), pages, "second"),)
    yield Figure("pages-read", message("Pages read"), shown, "/access/use")


OVERVIEW = Contribution(
    room=message("Access"),
    topics=("viewings",),
    waits=waits,
    figures=figures,
)
