"""What jobs brought comes back onto the records, with findings where something is to be done."""

import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from armarium.accounts.model import Role
from armarium.core import clock
from armarium.core.actor import SYSTEM
from armarium.core.errors import Forbidden, Refused
from armarium.db.database import Database
from armarium.planning import shipped
from armarium.selection.findings.model import Kind, proposal_of, text_of
from armarium.selection.findings.tables import FindingFilter
from armarium.selection.model import Budget
from armarium.selection.records.model import Record
from armarium.server.assembly import SECTIONS, House
from armarium.settings import load
from armarium.workflow.learning import Learning
from tests.integration.selection.transfer.handing import Office
from tests.integration.selection.world import World
from tests.site import running_site


@pytest.fixture
def office(database: Database, tmp_path: Path, library: World) -> Office:
    with database.transaction() as connection:
        shipped.ensure(connection)
    return Office(House(load(SECTIONS, home=tmp_path, environ={}), database), library)


@pytest.fixture
def record(office: Office) -> Record:
    made = office.library.record("https://news.example/")
    office.transfer()
    return made


def job(office: Office, record: Record, **result: Any) -> int:
    """A job of the record's harvest that has ended so."""
    (link,) = office.rows("SELECT * FROM selection_link WHERE record = :id", id=record.id)
    if not office.rows("SELECT * FROM harvest_run"):
        office.house.harvests.run_now(SYSTEM, link["harvest"])
        (run,) = office.rows("SELECT * FROM harvest_run")
        office.house.generator.generate(run["id"])
        number = office.rows("SELECT id FROM job")[0]["id"]
    else:
        number = office.rows(
            "INSERT INTO job (harvest, run, state, channel, profile_version, created_at) "
            "SELECT harvest, run, 'new', channel, profile_version, created_at FROM job LIMIT 1 RETURNING id"
        )[0]["id"]
        office.rows(
            "INSERT INTO job_configuration (job, configuration, domain, estimate, limited_by) "
            "VALUES (:job, :configuration, :domain, 1, 'cc') RETURNING job",
            job=number,
            configuration=link["configuration"],
            domain=link["planned_domain"],
        )
    values = {"objects": 10, "bytes": 1000, "stop_reason": "complete", "seeds": "[]", **result}
    office.rows(
        "UPDATE job_configuration SET objects = :objects, bytes = :bytes, stop_reason = :stop_reason, "
        "seeds = CAST(:seeds AS jsonb) "
        "WHERE job = :job RETURNING job",
        job=number,
        **values,
    )
    ended = clock.now() + timedelta(hours=number)
    office.rows(
        "UPDATE job SET state = 'done', ended_at = :at WHERE id = :job RETURNING id", job=number, at=ended
    )
    return int(number)


def learn(office: Office, number: int) -> int:
    return Learning(office.house.database, office.house.transfer.findings).learn(number)


def open_findings(office: Office) -> list[Any]:
    found, _ = office.house.transfer.findings.page(FindingFilter(), limit=100)
    return found


def test_a_record_learns_of_its_last_harvest(office: Office, record: Record) -> None:
    number = job(office, record)
    assert learn(office, number) == 1
    told = office.library.records.get(record.id)
    assert (told.harvested_job, told.harvested_objects, told.harvested_bytes) == (number, 10, 1000)
    assert told.harvested_stop == "complete"
    assert told.harvested_at is not None
    assert told.edition == record.edition  # whoever edits it meanwhile may save
    assert open_findings(office) == []
    (row,) = office.house.transfer.transfers.trace(record.id).harvested
    assert (row.job, row.harvest_name, row.objects) == (number, "Press · monthly", 10)


def test_the_curves_of_a_record_show_what_their_table_says(
    office: Office, record: Record, tmp_path: Path
) -> None:
    for objects in (7, 11, 13):
        learn(office, job(office, record, objects=objects, bytes=objects * 1000))
    with running_site(office.house.database, tmp_path / "site") as site:
        client = site.signed_in("grace", Role.CURATOR)
        page = client.get(f"/selection/records/{record.id}").text
        told = client.get(f"/selection/records/{record.id}?csv=objects").text.split()
    assert "Next harvest" in page or "is not active yet" in page
    assert "13 objects (13.0\u00a0kB). Complete." in page
    assert [line.rpartition(",")[2] for line in told[1:]] == ["7", "11", "13"]
    curve = page.partition("Objects per harvest")[2].partition("</figure>")[0]
    assert re.findall(r"<td>(.*?)</td>", curve) == ["7", "11", "13"]
    assert curve.count('class="plot-point"') == 3


def test_a_budget_that_was_too_small_is_proposed_to_grow_and_said_once(
    office: Office, record: Record
) -> None:
    first = job(office, record, stop_reason="configuration-object-limit")
    learn(office, first)
    learn(office, first)
    (found,) = open_findings(office)
    assert (found.kind, found.budget, found.job) == (Kind.OBJECT_LIMIT, Budget.MEDIUM, first)
    assert "Objects until then: 10 (" in text_of(found)
    assert "Medium" in proposal_of(found)
    office.house.transfer.findings.accept(office.library.cora, found.id)
    assert office.library.records.get(record.id).budget is Budget.MEDIUM
    assert open_findings(office) == []


def test_a_better_harvest_closes_what_an_earlier_one_said(office: Office, record: Record) -> None:
    learn(office, job(office, record, objects=0, stop_reason="unreachable"))
    (found,) = open_findings(office)
    assert found.kind is Kind.UNREACHABLE
    learn(office, job(office, record))
    assert open_findings(office) == []
    closed, _ = office.house.transfer.findings.page(FindingFilter(done=True), limit=10)
    assert [(one.id, one.closed_by) for one in closed] == [(found.id, "armarium")]


def test_a_dead_seed_is_no_success(office: Office, record: Record) -> None:
    seed = {"url": "https://news.example/", "verdict": "dead", "status": 404, "redirect": ""}
    learn(office, job(office, record, objects=1, stop_reason="dead", seeds=json.dumps([seed])))
    assert office.library.records.get(record.id).harvested_stop == "dead"
    (found,) = open_findings(office)
    assert found.kind is Kind.DEAD
    assert "https://news.example/ (404)" in text_of(found)
    assert "Check the address" in proposal_of(found)


def test_an_older_job_that_ends_late_says_nothing_new(office: Office, record: Record) -> None:
    first = job(office, record, objects=0)
    second = job(office, record)
    learn(office, second)
    learn(office, first)
    assert office.library.records.get(record.id).harvested_job == second
    assert open_findings(office) == []


def test_people_note_findings_and_members_close_them(office: Office, record: Record) -> None:
    findings, library = office.house.transfer.findings, office.library
    made = findings.add(library.ben, record.id, " The menu is missing. ", "Choose a larger depth.")
    assert (made.text, made.kind, made.author) == ("The menu is missing.", Kind.OBSERVATION, "ben")
    with pytest.raises(Refused, match="1 to"):
        findings.add(library.ben, record.id, " ")
    with pytest.raises(Forbidden):
        findings.close(library.ben, made.id)
    denied = office.rows("SELECT * FROM audit WHERE action = 'selection.denied'")
    assert [one["actor"] for one in denied] == ["ben"]
    assert findings.close(library.ada, made.id).closed_by == "ada"
    with pytest.raises(Refused, match="proposes nothing"):
        findings.accept(library.ada, made.id)


def test_a_job_of_other_configurations_tells_no_record(office: Office, record: Record) -> None:
    number = job(office, record)
    office.rows("DELETE FROM selection_link RETURNING id")
    assert learn(office, number) == 0
