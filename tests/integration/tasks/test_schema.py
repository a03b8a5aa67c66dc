"""procrastinate's tables on fresh, older and newer databases."""

import pytest
import sqlalchemy as sa

from armarium.core.errors import Misconfigured
from armarium.db.database import Database
from armarium.db.migrate import migrate
from armarium.tasks.schema import ensure


def test_a_second_time_changes_nothing(database: Database) -> None:
    question = sa.text("SELECT name, applied_at FROM task_schema ORDER BY name")
    with database.transaction() as connection:
        before = connection.execute(question).all()
        ensure(connection)
        assert connection.execute(question).all() == before
    assert "03.04.00_01_pre_add_retry_failed_job_procedure.sql" in {name for name, _ in before}
    assert "armarium/01_live.sql" in {name for name, _ in before}


def test_missing_steps_are_applied(database: Database) -> None:
    with database.transaction() as connection:
        connection.execute(sa.text("DROP FUNCTION armarium_announce_tasks CASCADE"))
        connection.execute(sa.text("DELETE FROM task_schema WHERE name = 'armarium/01_live.sql'"))
        ensure(connection)
        found = connection.execute(
            sa.text("SELECT tgname FROM pg_trigger WHERE tgname LIKE 'armarium_tasks_%' ORDER BY 1")
        )
        names = ["armarium_tasks_changed", "armarium_tasks_deferred", "armarium_tasks_removed"]
        assert list(found.scalars()) == names


def test_tables_of_a_newer_version_are_refused(database: Database) -> None:
    with database.transaction() as connection:
        connection.execute(sa.text("INSERT INTO task_schema VALUES ('99.00.00_01_future.sql', now())"))
        with pytest.raises(Misconfigured, match=r"99\.00\.00_01_future\.sql"):
            ensure(connection)


def test_a_database_with_somebody_elses_procrastinate_is_refused(empty_database_url: str) -> None:
    database = Database(empty_database_url, application="tests")
    with database.transaction() as connection:
        connection.execute(sa.text("CREATE TABLE procrastinate_jobs ()"))
    with pytest.raises(Misconfigured, match="another application"):
        migrate(database, also=[ensure])
    database.close()
