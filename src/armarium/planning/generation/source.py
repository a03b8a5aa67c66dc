"""The candidates of a harvest, chunk by chunk, in the order of their domains."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, LiteralString

from sqlalchemy import Connection

from armarium.core.errors import existing
from armarium.core.message import message
from armarium.planning.generation import queries
from armarium.planning.generation.candidates import Bounds, CandidateFilter, Row, estimator_of
from armarium.planning.generation.filling import Rules, rules_of
from armarium.planning.model import HarvestKind
from armarium.planning.settings import PlanningSettings

Place = tuple[int, int]  # domain and configuration of the last candidate that was read
START: Place = (0, 0)


@dataclass(frozen=True)
class Source:
    """Where the candidates of one harvest come from."""

    harvest: Any  # its row
    settings: PlanningSettings
    query: LiteralString
    values: Mapping[str, object]

    @property
    def broad(self) -> bool:
        return bool(self.harvest.kind == HarvestKind.BROAD)

    def chunk(self, connection: Connection, after: Place) -> tuple[list[Row], Place]:
        """The next rows, and the place behind them; none: that was all."""
        where = {"domain": after[0], "configuration": after[1], "most": self.settings.chunk_size}
        rows = queries.rows(connection, self.query, {**self.values, **where})
        return rows, (rows[-1].domain, rows[-1].configuration or 0) if rows else after

    def candidate_filter(self) -> CandidateFilter:
        return candidate_filter_of(self.harvest, self.settings)

    def rules(self) -> Rules:
        return rules_of(self.settings, broad=self.broad)

    def how_many(self, connection: Connection, most: int | None = None) -> int:
        return queries.how_many(connection, self.harvest.id, broad=self.broad, most=most)


def source_of(connection: Connection, harvest: Any, settings: PlanningSettings) -> Source:
    values: dict[str, object] = {**queries.alias_since(settings.alias_days), "harvest": harvest.id}
    if harvest.kind != HarvestKind.BROAD:
        return Source(harvest, settings, queries.SELECTIVE, values)
    if harvest.previous is None:
        return Source(harvest, settings, queries.BROAD, values)
    first, last = queries.job_span(connection, harvest.previous)
    values |= {"previous": harvest.previous, "first_job": first, "last_job": last}
    return Source(harvest, settings, queries.CONTINUATION, values)


def candidate_filter_of(harvest: Any, settings: PlanningSettings) -> CandidateFilter:
    return CandidateFilter(
        estimator_of(settings),
        Bounds(harvest.max_objects, harvest.max_bytes),
        broad=harvest.kind == HarvestKind.BROAD,
        continues=harvest.kind == HarvestKind.BROAD and harvest.previous is not None,
        skip_zero_budgets=settings.skip_zero_budgets,
    )


def existing_harvest(connection: Connection, number: int) -> Any:
    return existing(queries.harvest_of(connection, number), message("There is no harvest %(id)s.", id=number))
