"""What lies in each replica: counted, or as it was last counted."""

from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection

from armarium.db.database import Database
from armarium.storage.figures import KeptFigures
from armarium.storage.replicas import queries
from armarium.storage.replicas.model import Content, Part

REPLICAS = "replicas"  # the name of the figures
PARTS = ("accepted", "unfinished", "damaged")


def figures_of_replicas(connection: Connection) -> dict[str, Any]:
    found = queries.counted_contents(connection)
    return {
        str(number): {part: asdict(getattr(one, part)) for part in PARTS} for number, one in found.items()
    }


def contents(database: Database) -> dict[int, Content]:
    """By the number of the replica; none for one in which nothing ever was."""
    counted, at = KeptFigures(database).get(REPLICAS, figures_of_replicas)
    return {
        int(number): Content(**{part: Part(**parts[part]) for part in PARTS}, as_of=at)
        for number, parts in counted.items()
    }
