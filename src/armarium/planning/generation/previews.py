"""Plans for pages: small ones at once, large ones in the background, where their makers can wait for them."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from armarium.audit.service import Subject, record
from armarium.core.actor import Actor
from armarium.core.errors import ArmariumError, Unavailable
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.planning.generation import queries
from armarium.planning.generation.plan import Plan, existing_harvest, source_of
from armarium.planning.generation.service import TOPIC, Generator
from armarium.planning.harvests.model import RunState
from armarium.planning.harvests.service import Harvests
from armarium.planning.model import HarvestKind
from armarium.planning.settings import PlanningSettings
from armarium.tasks.service import Tasks

PREVIEW = "planning.preview"  # the kind of task declared in armarium.planning.tasks


class PlanState(StrEnum):
    MADE = "made"
    ABSENT = "absent"  # nobody has asked for it yet
    MAKING = "making"
    FAILED = "failed"


@dataclass(frozen=True)
class Preview:
    state: PlanState
    plan: Plan | None  # the last one that was made, also while a new one is being made
    large: bool  # too large to be made at once
    of: int  # domains to look at
    done: int = 0
    asked_at: datetime | None = None
    error: str = ""


@dataclass(frozen=True)
class Progress:
    """A generation under way."""

    run: int  # its number in the harvest
    done: int
    of: int
    jobs: int
    configurations: int
    begun_at: datetime | None


class Previews:
    def __init__(
        self, database: Database, settings: PlanningSettings, tasks: Tasks, generator: Generator
    ) -> None:
        self._database = database
        self._settings = settings
        self._tasks = tasks
        self._generator = generator

    def get(self, harvest: int) -> Preview:
        """The plan as it would be now, or, of a large harvest, the one that was made last."""
        most = self._settings.preview_at_once
        with self._database.transaction() as connection:
            source = source_of(connection, existing_harvest(connection, harvest), self._settings)
            of = source.how_many(connection, most + 1)  # millions are not counted each time a page is renewed
            kept = queries.plan_of(connection, harvest)
            if of > most and kept is None:
                return Preview(PlanState.ABSENT, None, large=True, of=source.how_many(connection))
        if of <= most or kept is None:
            return Preview(PlanState.MADE, self._generator.preview(harvest), large=False, of=of, done=of)
        plan = Plan.read(kept.document) if kept.document else None
        return Preview(PlanState(kept.state), plan, True, kept.of, kept.done, kept.asked_at, kept.error)

    def ask(self, actor: Actor, harvest: int) -> None:
        """Have a plan made in the background; a second wish while one is being made is the same wish."""
        with self._database.transaction() as connection:
            found = existing_harvest(connection, harvest)
            source = source_of(connection, found, self._settings)
            lock = f"{PREVIEW}:{harvest}"
            deferred = self._tasks.defer(
                connection, PREVIEW, {"harvest": harvest}, lock=lock, queueing_lock=lock
            )
            if deferred is None:
                return
            queries.begin_plan(connection, harvest, PlanState.MAKING.value, source.how_many(connection))
            record(connection, actor, "harvest.plan_asked", Subject("harvest", harvest, found.name))
            announce(connection, TOPIC)

    def make(self, harvest: int) -> None:
        """What the task does."""

        def told(done: int, of: int) -> None:
            self._save(harvest, done=done, of=of)

        try:
            plan = self._generator.preview(harvest, told=told)
        except Unavailable:
            raise  # it may succeed later
        except ArmariumError as error:
            self._save(harvest, state=PlanState.FAILED.value, error=str(error))
        else:
            self._save(harvest, state=PlanState.MADE.value, document=plan.facts())

    def progress(self, harvest: int) -> Progress | None:
        """Of the run that is being generated; None: none is."""
        with self._database.transaction() as connection:
            run = queries.last_run(connection, harvest, RunState.GENERATING.value)
            if run is None:
                return None
            cursor: dict[str, Any] = run.cursor or {"done": 0, "of": 0}
        return Progress(run.number, cursor["done"], cursor["of"], run.jobs, run.configurations, run.begun_at)

    def _save(self, harvest: int, **values: object) -> None:
        with self._database.transaction() as connection:
            queries.save_plan(connection, harvest, **values)
            announce(connection, TOPIC)


def begin(harvests: Harvests, actor: Actor, number: int) -> None:
    """A run at once; a broad harvest begins by being activated."""
    if harvests.get(number).kind is HarvestKind.BROAD:
        harvests.activate(actor, number)
    else:
        harvests.run_now(actor, number)
