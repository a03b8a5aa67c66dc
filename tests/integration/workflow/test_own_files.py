"""Which files may tell what the archive has of a domain."""

import pytest
from sqlalchemy import Connection, Engine, event

from armarium.db.database import Database
from armarium.workflow import join
from armarium.workflow.join import OwnFiles

MANY = 10_000
JOBS, FILES = 20, 10  # of each
FURNISHED = f"""
INSERT INTO domain (name, created_at) SELECT 'd' || n || '.example', now() FROM generate_series(1, {MANY}) n;
INSERT INTO job_configuration (job, configuration, domain, estimate)
    SELECT {JOBS} * half + mod(id, {JOBS}), id, id, 1 FROM domain, generate_series(0, 1) half
    WHERE mod(id, 7) > 0;
INSERT INTO stored_file (name, size, registered_at)
    SELECT j || '-' || f, 0, now() FROM generate_series(0, 3 * {JOBS}) j, generate_series(1, {FILES}) f;
INSERT INTO index_file (file, name, day, asked_at, job)
    SELECT id, name, '2026-11-15', now(), split_part(name, '-', 1)::bigint FROM stored_file;
UPDATE index_file SET accession = 1 WHERE name = '2-{FILES}';
"""


@pytest.fixture
def furnished(database: Database) -> Database:
    with database.transaction() as connection:
        connection.exec_driver_sql(FURNISHED)
    return database


def test_the_files_of_a_domain_are_those_of_its_jobs_and_none_from_outside(furnished: Database) -> None:
    own = OwnFiles(furnished, ["d2.example", "d7.example", "unknown.example"])
    second = own("d2.example")
    assert ["2-1" in second, f"{JOBS + 2}-1" in second] == [True, True]
    assert ["3-1" in second, f"{2 * JOBS + 2}-1" in second, f"2-{FILES}" in second, "" in second] == [
        False
    ] * 4
    assert "7-1" not in own("d7.example")
    assert "2-1" not in own("unknown.example")


def count_questions(request: pytest.FixtureRequest) -> list[str]:
    """All that any database is asked, until the end of the test."""
    asked: list[str] = []

    def note(_connection: Connection, _cursor: object, statement: str, *_others: object) -> None:
        asked.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    request.addfinalizer(lambda: event.remove(Engine, "before_cursor_execute", note))
    return asked


def test_ten_thousand_domains_are_asked_about_some_at_a_time(
    furnished: Database, request: pytest.FixtureRequest
) -> None:
    asked = count_questions(request)
    own = OwnFiles(furnished, [f"d{number}.example" for number in range(1, MANY + 1)])
    believed = {domain: own(domain) for domain in own.domains}
    assert not asked
    found = sum(f"{int(name[1:-8]) % JOBS}-1" in files for name, files in believed.items())
    assert found == sum(number % 7 > 0 for number in range(1, MANY + 1))
    assert len(asked) <= 2 * MANY / join.AT_ONCE
