"""SQL of what pages show of replicas."""

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.storage.model import DAMAGED, UNFINISHED, CopyState
from armarium.storage.replicas.picture import Content, Part
from armarium.storage.tables import file_copy, stored_file

PARTS: dict[str, list[str]] = {
    "accepted": [CopyState.ACCEPTED.value],
    "unfinished": sorted(state.value for state in UNFINISHED),
    "damaged": sorted(state.value for state in DAMAGED),
}


def contents(connection: Connection) -> dict[int, Content]:
    """What lies in each replica, and what should, by files and bytes."""
    state, size = file_copy.c.state, sa.func.sum(stored_file.c.size)
    counted = [
        figure
        for states in PARTS.values()
        for figure in (
            sa.func.count().filter(state.in_(states)),
            sa.func.coalesce(size.filter(state.in_(states)), 0),
        )
    ]
    asked = (
        sa.select(file_copy.c.replica, *counted)
        .join(stored_file, stored_file.c.id == file_copy.c.file)
        .group_by(file_copy.c.replica)
    )
    found = {}
    for number, *figures in connection.execute(asked):
        parts = [Part(int(figures[at]), int(figures[at + 1])) for at in range(0, len(figures), 2)]
        found[number] = Content(parts[0], parts[1], parts[2])
    return found
