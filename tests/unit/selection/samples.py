"""Records, collections and a planning for tests without a database."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from armarium.selection.collections.model import Collection
from armarium.selection.model import Budget, Depth, Frequency, Origin, RecordState
from armarium.selection.records.model import Record
from armarium.selection.transfer.difference import Ground
from armarium.selection.transfer.mapping import TransferMapping
from armarium.selection.transfer.model import Choices, Harvest, Link, Placed, Rule, Setup, Target

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
PRESS = Collection("Press", id=1)
HARVEST = Harvest(9, "Monthly press", active=True)
CHOICES = Choices(("host", "page", "news-daily"), ("monthly", "weekly"), {HARVEST.id: HARVEST})
RULES = (
    Rule(budget=Budget.SMALL, max_objects=100, max_bytes=1000),
    Rule(budget=Budget.MEDIUM, max_objects=200),
    Rule(depth=Depth.HOST, profile="host"),
    Rule(depth=Depth.PAGE, profile="page"),
)
TARGET = Target(PRESS.id, Frequency.MONTHLY, HARVEST.id)


def record(number: int = 7, **values: Any) -> Record:
    made = Record(
        id=number,
        collection=PRESS.id,
        collection_name=PRESS.name,
        address="https://news.example/",
        key="example,news)/",
        host="news.example",
        domain="news.example",
        theme=1,
        theme_name="News",
        budget=Budget.SMALL,
        frequency=Frequency.MONTHLY,
        depth=Depth.HOST,
        state=RecordState.VALIDATED,
        state_reason="",
        stated_at=NOON,
        stated_by="cora",
        origin=Origin.ENTRY,
        check=None,
        checked_at=None,
        taken_over=False,
        created_at=NOON,
        created_by="ada",
        modified_at=NOON,
        modified_by="ada",
        harvested_at=None,
        harvested_job=None,
        harvested_objects=None,
        harvested_bytes=None,
        harvested_stop="",
        edition=1,
        responsible_name="",
    )
    return replace(made, **values)


def ground(*rules: Rule, target: Target = TARGET, collection: Collection = PRESS) -> Ground:
    targets = {(target.collection, target.frequency): target}
    return Ground({collection.id: collection}, TransferMapping([*RULES, *rules], targets), CHOICES)


def setup(**values: Any) -> Setup:
    """What is wanted for the sample record."""
    made = Setup("selection 7", "https://news.example/", "host", 100, 1000, {}, True, HARVEST.id)
    return replace(made, **values)


def link(asked: Setup | None = None, kept: Setup | None = None, domain: str = "news.example") -> Link:
    wanted = asked or setup()
    return Link(1, 7, domain, Placed(1, 2, 3), wanted.facts(), (kept or wanted).facts(), 1, NOON)
