"""One of each thing of selection, for tests that walk over all pages."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.selection import tables
from armarium.selection.bulk.tables import bulk
from armarium.selection.entry.tables import batch, check
from armarium.selection.exchange.tables import imported
from armarium.selection.findings.tables import finding
from armarium.selection.nominations.tables import nomination
from armarium.selection.transfer.tables import transfer
from tests.integration.planning.jobs.world import NOON

CHOSEN = {"budget": "small", "frequency": "daily", "depth": "page"}


def furnish(connection: Connection, account: int) -> None:
    """Each has the number 1, and belongs to the account where things belong to somebody."""

    def put(table: sa.Table, **values: Any) -> None:
        connection.execute(table.insert().values(**values))

    defaults = {f"default_{name}": value for name, value in CHOSEN.items()}
    allowed = {"budgets": ["small"], "frequencies": ["daily"], "depths": ["page"]}
    put(tables.collection, name="Press", created_at=NOON, **allowed, **defaults)
    put(tables.theme, collection=1, name="News")
    by = {"created_at": NOON, "created_by": "owner", "modified_at": NOON, "modified_by": "owner"}
    place = {
        "address": "https://example.fr/",
        "key": "fr,example)/",
        "host": "example.fr",
        "domain": "example.fr",
    }
    put(
        tables.record,
        collection=1,
        theme=1,
        state="proposed",
        origin="entry",
        check=1,
        **place,
        **CHOSEN,
        **by,
    )
    put(nomination, at=NOON, address="https://example.fr/", key="fr,example)/", state="waiting")
    put(finding, record=1, at=NOON, author="owner", kind="observation", text="A part is missing.")
    times = {"created_at": NOON, "modified_at": NOON}
    put(tables.search, owner=account, name="All", query="", shared="everybody", **times)
    put(bulk, account=account, actor="owner", changes={}, state="ready", made_at=NOON)
    put(batch, collection=1, account=account, created_at=NOON, created_by="owner")
    seen = {"state": "fine", "picture": b"\xff\xd8\xff", "picture_state": "taken", "checked_at": NOON}
    put(
        check,
        batch=1,
        line=1,
        typed="example.fr",
        record=1,
        address=place["address"],
        key=place["key"],
        **seen,
    )
    put(imported, name="list.csv", mode="trial", state="tried", created_at=NOON, by="owner", editor={})
    put(transfer, state="done", by="owner", asked_at=NOON, ended_at=NOON)
