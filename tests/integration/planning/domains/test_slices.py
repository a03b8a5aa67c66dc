"""Large files of domains: what is killed between two slices goes on after the last one."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from armarium.accounts.vault import Vault, VaultSettings
from armarium.core.actor import SYSTEM
from armarium.core.errors import Refused
from armarium.db.database import Database
from armarium.planning import shipped
from armarium.planning.domains.import_files import SLICE
from armarium.planning.domains.model import Import
from armarium.planning.domains.service import Domains
from armarium.planning.tasks import TASKS
from armarium.tasks.kinds import TaskKinds
from armarium.tasks.service import Tasks
from tests.integration.selection.killing import kill_a_worker

#: Three slices of domains in four of lines, what is wrong and what is repeated in different ones.
NAMES = [f"site-{n:05}.fr" for n in range(2 * SLICE + 10)]
LINES = ["name,seed,comments", "no domain", *NAMES, "", *reversed(NAMES[: SLICE - 1]), "-bad-.fr"]
LINES += [f"{NAMES[0]},http://{NAMES[0]}/last"]
IN_SECOND = NAMES[SLICE + 5]


@pytest.fixture
def domains(database: Database, tmp_path: Path) -> Domains:
    with database.transaction() as connection:
        shipped.ensure(connection)
    return Domains(database, Vault(VaultSettings(), tmp_path), Tasks(database, TaskKinds(TASKS)))


def count(database: Database, table: str) -> int:
    with database.transaction() as connection:
        return int(connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one())


def interrupted(lines: list[str]) -> Iterator[str]:
    """As it is for whoever presses Ctrl-C while a file is read."""
    yield from lines
    raise KeyboardInterrupt


def whole(database: Database, domains: Domains, done: Import) -> None:
    """Each line was counted once, and each domain made once, as if nothing had happened."""
    assert (done.state, done.lines, done.done) == ("done", len(LINES), len(LINES))
    assert (done.created, done.known, done.repeated) == (len(NAMES), 0, SLICE)
    assert (done.refused, done.skipped) == (2, 2)
    assert [one["line"] for one in done.faults] == [2, len(LINES) - 1]
    assert {count(database, table) for table in ("domain", "seed_list", "configuration")} == {len(NAMES)}
    assert count(database, "domain_import_line") == 0
    first = domains.named(NAMES[0])
    assert domains.configurations.seed_lists(first.id)[0].seeds == f"http://{NAMES[0]}/last"


def in_the_way(connection: Connection) -> None:
    """A domain that nobody sees yet, because of which the import waits within its second slice."""
    connection.execute(
        text("INSERT INTO domain (name, created_at) VALUES (:name, now())"), {"name": IN_SECOND}
    )


def test_a_killed_worker_goes_on_after_its_last_slice(
    database: Database, domains: Domains, tmp_path: Path
) -> None:
    begun = domains.imports.begin(SYSTEM, "many.csv", "registry")
    domains.imports.read(begun, LINES)
    assert count(database, "domain") == 0
    kill_a_worker(database, tmp_path, in_the_way)
    left = domains.imports.get(begun.id)
    assert (left.state, left.created, count(database, "domain")) == ("running", SLICE, SLICE)
    whole(database, domains, domains.imports.make(begun.id))  # as the next worker does
    assert domains.imports.make(begun.id).created == len(NAMES)  # and once more
    assert count(database, "domain") == len(NAMES)


def test_a_file_whose_reading_was_interrupted_is_resumed_after_the_last_slice(
    database: Database, domains: Domains
) -> None:
    told: list[Import] = []
    with pytest.raises(KeyboardInterrupt):
        domains.imports.run(SYSTEM, "many.csv", interrupted(LINES[: SLICE + 7]), told=told.append)
    assert [(one.state, one.lines) for one in told] == [("reading", 0), ("reading", SLICE)]
    whole(database, domains, domains.imports.run(SYSTEM, "many.csv", LINES, resume=told[0].id))


def test_a_shorter_file_is_not_taken_for_the_rest(database: Database, domains: Domains) -> None:
    with pytest.raises(KeyboardInterrupt):
        domains.imports.run(SYSTEM, "many.csv", interrupted(LINES[: SLICE + 7]))
    (left,), _ = domains.imports.page(limit=1)
    with pytest.raises(Refused, match="shorter than what was read"):
        domains.imports.run(SYSTEM, "other.csv", ["a.fr"], resume=left.id)
    whole(database, domains, domains.imports.run(SYSTEM, "many.csv", LINES, resume=left.id))


def test_a_short_file_that_was_read_is_left_to_a_worker_too(database: Database, domains: Domains) -> None:
    domains.imports.read(domains.imports.begin(SYSTEM, "few.csv", "registry"), ["a.fr", "b.fr"])
    assert count(database, "procrastinate_jobs") == 1


def test_whoever_looks_on_is_told_after_each_slice(domains: Domains) -> None:
    told: list[Import] = []
    domains.imports.run(SYSTEM, "many.csv", LINES, told=told.append)
    making = [one for one in told if one.state == "running"]
    assert [one.done for one in making] == sorted(one.done for one in making)
    assert len(making) == 3
    assert {one.lines for one in making} == {len(LINES)}
