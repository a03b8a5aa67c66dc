"""Before the jobs of a run are made, its harvest is brought up to date, and nothing can stop the run."""

from collections.abc import Callable

import pytest
import sqlalchemy as sa

from armarium.core.actor import SYSTEM
from armarium.core.errors import DatabaseAway
from armarium.selection.model import Frequency
from armarium.selection.transfer.mapping_service import TransferMappings
from armarium.selection.transfer.model import Target, Transfer, TransferState
from armarium.selection.transfer.service import Transfers
from armarium.tasks.context import never
from armarium.workflow.learning import BeforeRuns
from tests.integration.selection.transfer.handing import Office, told

MONTHLY = "Press · monthly"


def run_of(office: Office, name: str = MONTHLY) -> int:
    """A run whose jobs are still to be made."""
    harvest = office.house.harvests.named(name)
    office.house.harvests.run_now(SYSTEM, harvest.id)
    return int(office.rows("SELECT max(id) AS id FROM harvest_run")[0]["id"])


def harvested(office: Office) -> set[str]:
    asked = """
        SELECT DISTINCT configuration.name FROM job_configuration
        JOIN configuration ON configuration.id = job_configuration.configuration
    """
    return {row["name"] for row in office.rows(asked)}


def test_what_was_validated_since_is_in_the_run(office: Office) -> None:
    first = office.library.record("https://first.example/")
    gone = office.library.record("https://gone.example/")
    office.transfer()
    run = run_of(office)
    second = office.library.record("https://second.example/")
    office.library.record("https://weekly.example/", frequency=Frequency.WEEKLY)
    office.library.records.change_fields(office.library.cora, gone.id, {"active": False})
    office.house.generator.generate(run)
    assert harvested(office) == {f"selection {first.id}", f"selection {second.id}"}
    (latest, *_), _ = office.house.transfer.transfers.page(limit=1)
    assert (latest.run, latest.state, told(latest)) == (run, TransferState.DONE, {"made": 1, "taken-out": 1})


def test_the_jobs_of_a_run_are_preceded_by_one_transfer(office: Office) -> None:
    office.library.record("https://first.example/")
    office.transfer()
    run = run_of(office)
    office.house.generator.generate(run)
    office.house.generator.generate(run)
    assert len(office.rows("SELECT * FROM selection_transfer WHERE run = :run", run=run)) == 1


def test_a_harvest_that_is_no_target_or_by_hand_only_is_left_alone(office: Office) -> None:
    office.library.record("https://first.example/")
    office.transfer()
    harvest = office.house.harvests.named(MONTHLY)
    by_hand = Target(office.library.press.id, Frequency.MONTHLY, harvest.id, automatic=False)
    TransferMappings(office.house.database, office.house.transfer.desk).put_target(SYSTEM, by_hand)
    assert office.house.transfer.transfers.before_run(harvest.id, 1) is None
    assert office.house.transfer.transfers.before_run(1234, 1) is None


def test_a_transfer_that_fails_does_not_stop_the_harvest(office: Office) -> None:
    first = office.library.record("https://first.example/")
    office.transfer()
    office.library.record("https://second.example/")
    run = run_of(office)
    with office.house.database.transaction() as connection:
        connection.execute(sa.text("ALTER TABLE selection_transfer_line RENAME TO mislaid"))
    office.house.generator.generate(run)
    assert harvested(office) == {f"selection {first.id}"}
    (notice,) = office.rows("SELECT * FROM notification WHERE key LIKE 'selection.transfer%'")
    assert "mislaid" in str(notice) or "selection_transfer_line" in str(notice)


class Away(Transfers):
    """Those of a moment in which there is no database."""

    def __init__(self) -> None:
        pass

    def before_run(self, harvest: int, run: int, stopping: Callable[[], bool] = never) -> Transfer | None:
        raise DatabaseAway("The database cannot be reached at the moment.")


def test_no_run_goes_without_its_records_because_the_database_was_away_for_a_moment(office: Office) -> None:
    before = BeforeRuns(office.house.database, Away(), office.house.notifier)
    with pytest.raises(DatabaseAway):
        before.before_run(1, 1, never)
    assert office.rows("SELECT * FROM notification") == []


def test_a_record_that_fails_before_a_run_is_notified(office: Office) -> None:
    office.library.record("https://first.example/")
    office.transfer()
    taken = office.library.record("https://taken.example/")
    domain = office.house.domains.create(SYSTEM, "taken.example")
    office.house.domains.configurations.add_seed_list(
        SYSTEM, domain.id, f"selection {taken.id}", "https://taken.example/"
    )
    run = run_of(office)
    office.house.generator.generate(run)
    assert len(office.rows("SELECT * FROM notification WHERE key LIKE 'selection.transfer%'")) == 1
