"""What tests of the transfer do and look at."""

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from armarium.core.actor import SYSTEM
from armarium.planning.domains.model import Configuration
from armarium.selection.transfer.model import Transfer, TransferKind
from armarium.server.assembly import House
from tests.integration.selection.world import World


@dataclass(frozen=True)
class Office:
    house: House
    library: World

    def transfer(self, collection: int | None = None) -> Transfer:
        """A whole transfer, as the worker does it."""
        transfers = self.house.transfer.transfers
        number = transfers.start(SYSTEM, collection).id
        self.forget_tasks()
        transfers.carry_out(number)
        return transfers.get(number)

    def counts(self) -> dict[str, int]:
        """Of a preview."""
        return {kind.value: count for kind, count in self.house.transfer.transfers.preview().counts.items()}

    def configuration(self, record: int) -> Configuration:
        (row,) = self.rows(f"SELECT * FROM selection_link WHERE record = {record}")
        return self.house.domains.configurations.get(row["planned_domain"], row["configuration"])

    def members(self, harvest: str) -> set[str]:
        """The names of the configurations in a harvest."""
        asked = """
            SELECT configuration.name FROM harvest
            JOIN harvest_configuration ON harvest_configuration.harvest = harvest.id
            JOIN configuration ON configuration.id = harvest_configuration.configuration
            WHERE harvest.name = :harvest
        """
        return {row["name"] for row in self.rows(asked, harvest=harvest)}

    def planned(self) -> list[list[dict[str, Any]]]:
        """All that planning has, to compare before and after."""
        tables = ("domain", "seed_list", "configuration", "harvest", "harvest_configuration")
        return [self.rows(f"SELECT * FROM {table} ORDER BY 1, 2") for table in tables]

    def rows(self, asked: str, **values: Any) -> list[dict[str, Any]]:
        with self.house.database.transaction() as connection:
            return [dict(row) for row in connection.execute(sa.text(asked), values).mappings()]

    def forget_tasks(self) -> None:
        with self.house.database.transaction() as connection:
            connection.execute(sa.text("DELETE FROM procrastinate_jobs"))


def told(transfer: Transfer) -> dict[str, int]:
    """Its counts, without what there was none of."""
    return {
        kind.value: count
        for kind, count in transfer.counts.items()
        if count and isinstance(kind, TransferKind)
    }
