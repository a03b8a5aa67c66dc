"""The verbs of harvest definitions."""

from datetime import datetime

from sqlalchemy import Connection, RowMapping

from armarium.audit.service import record
from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.reading import reading
from armarium.planning import budgets
from armarium.planning.budgets import Share, share_out
from armarium.planning.harvests import checks, member_queries, queries, run_queries
from armarium.planning.harvests.checks import (
    HARVEST,
    doubts,
    existing_harvest,
    existing_run,
    facts_of,
    joined,
    next_values,
    of_chosen_domains,
    refuse_taken,
    refuse_unknown,
    values_of,
)
from armarium.planning.harvests.model import Choices, Definition, Doubt, Harvest, Run, RunState
from armarium.planning.harvests.next_dates import TOPIC, advance, deactivate, subject
from armarium.planning.model import HarvestKind
from armarium.planning.parsing import check_limit
from armarium.planning.schedules.rules import first_date
from armarium.planning.searching import Searched
from armarium.tasks.service import Tasks

GENERATE = "planning.generate"  # the kind of task declared in armarium.planning.tasks


class Harvests(Searched[Harvest]):
    """Definitions, their activation and their runs."""

    rows = queries.all_harvests
    kind = HARVEST

    def __init__(self, database: Database, tasks: Tasks) -> None:
        super().__init__(database)
        self._tasks = tasks

    # Reading

    search = reading(queries.harvests)
    runs = reading(run_queries.runs_of)
    run = reading(existing_run)
    #: The numbers of its runs that have not ended.
    under_way = reading(run_queries.runs_under_way)

    def doubts(self, number: int) -> list[Doubt]:
        """What speaks against activating it now."""
        with self._database.transaction() as connection:
            return doubts(connection, existing_harvest(connection, number), clock.now())

    def jobs(self, run: Run, *, limit: int, offset: int = 0) -> tuple[list[RowMapping], dict[str, int]]:
        """The jobs of a run, and how many are in which state."""
        with self._database.transaction() as connection:
            states = run_queries.job_states(connection, run=run.id)
            return run_queries.jobs_of(connection, run.id, limit, offset), states

    def failed_jobs(self, run: Run, *, limit: int) -> list[RowMapping]:
        with self._database.transaction() as connection:
            return run_queries.jobs_of(connection, run.id, limit, failed=True)

    #: Objects a second of all jobs of a run, by minute.
    speed = reading(run_queries.speed_of)

    def choices(self, harvest: int | None = None) -> Choices:
        """What the form of a definition offers."""
        with self._database.transaction() as connection:
            return Choices(
                schedules=list(queries.schedules(connection).values()),
                channels=queries.channels(connection),
                previous=queries.broad_harvests(connection, harvest),
            )

    # Changing

    def create(self, actor: Actor, given: Definition) -> Harvest:
        """A new definition is inactive: nothing runs that nobody asked for."""
        with self._database.transaction() as connection:
            return self.create_in(connection, actor, given)

    def create_in(self, connection: Connection, actor: Actor, given: Definition) -> Harvest:
        values = values_of(checks.checked(given))
        refuse_unknown(connection, values)
        harvest = self.insert(connection, {**values, "created_at": clock.now()})
        record(connection, actor, "harvest.created", subject(harvest), after=facts_of(connection, harvest))
        announce(connection, TOPIC)
        return harvest

    def change(
        self,
        actor: Actor,
        number: int,
        given: Definition,
        *,
        seen: str | None = None,
        next_at: datetime | None = None,
    ) -> Harvest:
        """Change a definition; `next_at` overrides the next date once, a new schedule sets it anew."""
        values = values_of(checks.checked(given))
        with self._database.transaction() as connection:
            before = self.locked(connection, number, seen)
            if values["kind"] != before.kind.value:
                raise Refused(message("The kind of a harvest cannot be changed."), field="kind")
            refuse_unknown(connection, values, but=number)
            refuse_taken(connection, str(values["name"]), but=number)
            dates = next_values(connection, before, given, next_at)
            queries.update_harvest(connection, number, **values, **dates, edition=before.edition + 1)
            return _changed(connection, actor, before)

    def activate(self, actor: Actor, number: int) -> Harvest:
        with self._database.transaction() as connection:
            return self.activate_in(connection, actor, existing_harvest(connection, number, lock=True))

    def activate_in(self, connection: Connection, actor: Actor, harvest: Harvest) -> Harvest:
        """Let it run by its schedule; a broad one begins at once."""
        if harvest.active:
            return harvest
        now = clock.now()
        against = [doubt.text for doubt in doubts(connection, harvest, now) if doubt.prevents]
        if against:
            raise Refused(joined(against))
        schedule = queries.schedule_by_id(connection, harvest.schedule)
        date = harvest.next_at if harvest.next_at and harvest.next_at > now else None
        kept = {"next_by_hand": harvest.next_by_hand, "rhythm_from": harvest.rhythm_from or date}
        if date is None:
            date = first_date(schedule, now, harvest.scheduled_runs) if schedule else now
            kept = {"next_by_hand": False, "rhythm_from": date}
        queries.update_harvest(
            connection,
            harvest.id,
            active=True,
            next_at=date,
            **kept,
            trouble="",
            edition=harvest.edition + 1,
        )
        after = {"active": True, "next_at": date.isoformat() if date else None}
        record(
            connection, actor, "harvest.activated", subject(harvest), before={"active": False}, after=after
        )
        if date is not None and date <= now:
            self.start_run(connection, harvest.id, date)
        announce(connection, TOPIC)
        return existing_harvest(connection, harvest.id)

    def deactivate(self, actor: Actor, number: int) -> Harvest:
        """Nothing new begins; jobs that exist go on."""
        with self._database.transaction() as connection:
            before = existing_harvest(connection, number, lock=True)
            if not before.active:
                return before
            deactivate(connection, actor, before)
            return existing_harvest(connection, number)

    # Configurations

    def add_configurations(self, actor: Actor, number: int, configurations: list[int]) -> int:
        """Add configurations by their numbers; how many were not in it yet."""
        with self._database.transaction() as connection:
            harvest = of_chosen_domains(connection, number)
            added = member_queries.add_configurations(connection, number, configurations)
            note_domains(connection, actor, harvest, "harvest.domains_added", added)
            return added

    def remove_configurations(self, actor: Actor, number: int, configurations: list[int] | None) -> int:
        """Take configurations out; None: all of them."""
        with self._database.transaction() as connection:
            harvest = of_chosen_domains(connection, number)
            removed = member_queries.remove_configurations(connection, number, configurations)
            note_domains(connection, actor, harvest, "harvest.domains_removed", removed)
            return removed

    # Runs

    def run_now(self, actor: Actor, number: int) -> int:
        """Begin a run at once, besides those of the schedule; the number of the run."""
        with self._database.transaction() as connection:
            harvest = existing_harvest(connection, number, lock=True)
            if harvest.kind is HarvestKind.BROAD:
                raise Refused(message("A broad harvest runs once, when it is activated."))
            if not queries.has_seeds(connection, number):
                raise Refused(message("None of its domains has an active configuration with a seed."))
            self.begin(connection, harvest, clock.now(), scheduled=False)
            record(connection, actor, "harvest.run", subject(harvest), after={"run": harvest.runs + 1})
            return harvest.runs + 1

    def raise_budget(self, actor: Actor, number: int, run: int, wanted: Share) -> Run:
        """Give a run a larger total budget; the jobs that it still has share what is new of it."""
        with self._database.transaction() as connection:
            harvest = existing_harvest(connection, number)
            raise_budget(connection, actor, harvest, existing_run(connection, number, run), wanted)
            return existing_run(connection, number, run)

    def start_run(self, connection: Connection, harvest_id: int, due_at: datetime) -> int:
        """Begin the run of a date and go on to the next date; the run's id."""
        harvest = existing_harvest(connection, harvest_id, lock=True)
        run = self.begin(connection, harvest, due_at, scheduled=True)
        advance(connection, existing_harvest(connection, harvest_id), due_at)
        return run

    def begin(self, connection: Connection, harvest: Harvest, due_at: datetime, *, scheduled: bool) -> int:
        """Write the run down, and have its jobs made once this transaction is committed.

        `scheduled`: it counts for the schedule, which may allow so many runs, or one.
        """
        run = run_queries.insert_run(
            connection,
            {
                "harvest": harvest.id,
                "number": harvest.runs + 1,
                "state": RunState.GENERATING.value,
                "due_at": due_at,
                "begun_at": clock.now(),
                "total_objects": harvest.total_objects,
                "total_bytes": harvest.total_bytes,
            },
        )
        counts = {"runs": harvest.runs + 1, "scheduled_runs": harvest.scheduled_runs + scheduled}
        queries.update_harvest(connection, harvest.id, **counts)
        self._tasks.defer(connection, GENERATE, {"run": run}, queueing_lock=f"{GENERATE}-{run}")
        announce(connection, TOPIC)
        return run


def note_domains(
    connection: Connection, actor: Actor, harvest: Harvest, action: str, count: int, **more: object
) -> None:
    if count or more:
        record(connection, actor, action, subject(harvest), after={"configurations": count, **more})
        announce(connection, TOPIC)


def _changed(connection: Connection, actor: Actor, before: Harvest) -> Harvest:
    after = existing_harvest(connection, before.id)
    old, new = facts_of(connection, before), facts_of(connection, after)
    if old != new:
        record(connection, actor, "harvest.changed", subject(after), before=old, after=new)
        announce(connection, TOPIC)
    return after


FIELDS = ("total_objects", "total_bytes")


def raise_budget(connection: Connection, actor: Actor, harvest: Harvest, run: Run, wanted: Share) -> None:
    """The harvest itself keeps what it says of later runs."""
    before = budgets.locked_total(connection, run.id)
    after = Share(*(_raised(*three) for three in zip(FIELDS, before, wanted, strict=True)))
    if after == before:
        raise Refused(message("Write how much it may be now."), field=FIELDS[0])
    run_queries.set_total(connection, run.id, after)
    share_out(connection, run.id)
    facts = [{"run": run.number, **dict(zip(FIELDS, share, strict=True))} for share in (before, after)]
    record(connection, actor, "harvest.budget_raised", subject(harvest), before=facts[0], after=facts[1])
    announce(connection, TOPIC)
    announce(connection, "jobs")


def _raised(field: str, before: int | None, wanted: int | None) -> int | None:
    if wanted is None or wanted == before:
        return before
    if before is None:
        raise Refused(message("This run has no such budget: nothing is to be raised."), field=field)
    if wanted < before:
        text = message("A budget can be raised, not lowered: jobs have their shares of it.")
        raise Refused(text, field=field)
    return check_limit(wanted, field)
