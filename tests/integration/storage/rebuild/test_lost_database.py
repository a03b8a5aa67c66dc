"""The whole database lost: an empty one, the replicas added, and a rebuild that takes their archive over."""

import json

import pytest
import sqlalchemy as sa

from armarium.accounts.vault import Vault, VaultSettings
from armarium.audit.tables import audit
from armarium.core.actor import SYSTEM
from armarium.core.errors import Refused
from armarium.storage.files.catalogue import Catalogue
from armarium.storage.model import ReplicaKind, ReplicaRole, ReplicaState
from armarium.storage.replicas.model import Setup
from armarium.storage.replicas.service import ensure
from armarium.storage.replicas.trials import Trials
from armarium.storage.tables import replica
from tests.integration.storage.outside import Outside, forget, warc

MARKER = "armarium-replica.json"


@pytest.fixture
def lost(world: Outside) -> str:
    """The name of the archive; of its file and of all its replicas the database knows nothing any more."""
    world.store("b.warc.gz", warc(b"kept"))
    forget(world)
    with world.database.transaction() as connection:
        connection.execute(sa.delete(replica))
        connection.execute(sa.text("UPDATE archive SET id = 'new'"))
        ensure(connection)
    return str(json.loads((world.home / "a" / MARKER).read_bytes())["archive"])


def add_all(world: Outside) -> None:
    world.add("a", role=ReplicaRole.PRIMARY)
    world.add("b")
    world.add("sums", ReplicaKind.CHECKSUM, ReplicaRole.WITNESS)


def retire_those_that_came_along(world: Outside) -> None:
    for name in ("one", "two"):
        world.replicas.set_state(SYSTEM, world.replicas.named(name).id, ReplicaState.RETIRED, "not ours")


def everything_known(world: Outside) -> list[object]:
    """In the database, and in the folders."""
    with world.database.transaction() as connection:
        told = connection.scalar(sa.select(sa.func.count()).select_from(audit))
        return [
            connection.scalar(sa.text("SELECT id FROM archive")),
            connection.execute(sa.select(replica).order_by(replica.c.id)).all(),
            told,
            sorted(world.home.rglob("*")),
        ]


def test_replicas_are_added_then_the_rebuild_takes_their_archive_over(world: Outside, lost: str) -> None:
    add_all(world)
    retire_those_that_came_along(world)
    away = [known for known in world.replicas.all_details() if known.away_since]
    assert [known.replica.name for known in away] == ["a", "b", "sums"]
    assert all(f"store rebuild --archive {lost}" in known.trouble for known in away)

    report = world.rebuild.run(SYSTEM, archive=lost)

    assert (report.clear, report.damaged, report.undecided) == (1, 0, 0)
    assert set(world.states(world.files.named("b.warc.gz")).values()) == {"accepted"}
    assert not any(known.away_since for known in world.replicas.all_details())
    with pytest.raises(Refused, match="already contains files"):
        world.rebuild.run(SYSTEM, archive="yet-another")


def test_a_replica_that_came_along_may_be_moved_to_where_the_lost_one_lies(world: Outside, lost: str) -> None:
    one = world.replicas.named("one")
    (world.home / "mnt").mkdir()
    (world.home / "mnt" / MARKER).write_text(json.dumps({"archive": lost, "replica": "one"}))
    moved = Setup(location=str(world.home / "mnt"))

    trials = Trials(world.database, Vault(VaultSettings(), world.home), world.replicas)
    assert "answers" in str(trials.known(one.id, moved))
    world.replicas.change(SYSTEM, one.id, moved)

    assert world.rebuild.run(SYSTEM, archive=lost, without=["two"]).met == 0


def test_a_dry_run_tells_the_same_and_changes_nothing(world: Outside, lost: str) -> None:
    add_all(world)
    retire_those_that_came_along(world)
    before = everything_known(world)

    report = world.rebuild.run(SYSTEM, archive=lost, dry_run=True)

    assert (report.clear, report.damaged, report.undecided) == (1, 0, 0)
    assert everything_known(world) == before


@pytest.mark.parametrize("dry_run", [True, False])
def test_what_is_no_replica_of_that_archive_stops_it_before_anything_is_written(
    world: Outside, lost: str, dry_run: bool
) -> None:
    add_all(world)
    before = everything_known(world)

    with pytest.raises(Refused, match="of archive"):
        world.rebuild.run(SYSTEM, archive="mistyped", without=["one", "two"], dry_run=dry_run)
    with pytest.raises(Refused, match=r"Replica one has no .* retire it"):
        world.rebuild.run(SYSTEM, archive=lost, dry_run=dry_run)

    assert everything_known(world) == before


def test_under_another_name_it_is_not_taken_and_nothing_is_stored_beside_it(
    world: Outside, lost: str
) -> None:
    with pytest.raises(Refused, match="is replica a, not replica c"):
        world.replicas.add(SYSTEM, "c", ReplicaKind.FOLDER, Setup(ReplicaRole.COPY, str(world.home / "a")))
    world.add("a")

    with pytest.raises(Refused, match="belongs to another archive"):
        world.files.refuse_lost()
    assert Catalogue(world.database).figures().files == 0
