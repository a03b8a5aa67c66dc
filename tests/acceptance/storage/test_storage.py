"""Issue 6: whatever happens to disks, servers and processes, nothing good is lost or overwritten.

By hand: pytest tests/acceptance/storage --files 2000 --seed 7 --timeout 3600 -s
"""

import random
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

from tests.acceptance.storage.archive import Archive, archive
from tests.acceptance.storage.damage import Damage
from tests.acceptance.storage.mischief import Mischief
from tests.acceptance.storage.proof import Proof, Witness, unread
from tests.acceptance.storage.sealed_files import LARGE, made
from tests.acceptance.storage.small_disk import small_disk
from tests.s3 import running_s3

STRETCHES = 6  # in which files arrive
TICK = 0.1
SMALL = 256 * 1024  # bytes of a disk that is soon full
READ_AT_ONCE = 30
WAITING_TO_BE_STORED = (
    "SELECT (SELECT count(*) FROM stored_file f LEFT JOIN index_file i ON i.file = f.id"
    " WHERE f.state <> 'stored' OR i.state IS DISTINCT FROM 'indexed')"
    " + (SELECT count(*) FROM stored_file WHERE source <> '')"
    " + (SELECT count(*) FROM audit_run WHERE state NOT IN ('finished', 'cancelled'))"
)
ACCEPTED = "SELECT count(*) FROM file_copy WHERE state = 'accepted'"
AT_WORK = "SELECT count(*) FROM audit_run WHERE state <> 'waiting'"
MEANWHILE = ("storage.sweep", "index.sweep", "storage.clean")  # what the clock would start one day
AFTERWARDS = ("storage.sweep", "storage.repairs", "storage.audits")
NO_ROOM = "SELECT count(*) FROM file_copy WHERE error LIKE '%No space left%'"
WAITING_TO_BE_JUDGED = (
    "SELECT (SELECT count(*) FROM audit_run WHERE state <> 'finished')"
    " + (SELECT count(*) FROM repair WHERE state IN ('proposed', 'approved', 'running', 'failed'))"
    " + (SELECT count(*) FROM procrastinate_jobs WHERE status IN ('todo', 'doing')"
    " AND task_name IN ('storage.check', 'storage.repair', 'storage.audit'))"
)


def test_every_damage_is_found_and_what_has_a_majority_is_whole_again_and_nothing_good_is_overwritten(
    tmp_path: Path, database_url: str, seed: int, count: int, kills: int
) -> None:
    chance = random.Random(seed)
    truth = dict(made(chance, count))
    with (
        running_s3(tmp_path / "s3") as s3,
        small_disk(tmp_path / "disk", SMALL) as disk,
        archive(tmp_path, database_url, s3, disk) as there,
    ):
        mischief, witness = Mischief(there, chance, count), Witness(there)
        there.start_all()
        store(there, truth, mischief, witness, kills // 2)
        there.freeze()  # nobody is at work while copies are damaged
        proof = Proof(there, truth, Damage(truth, there.shelves, chance))
        assert not proof.faults_of_storing(witness), told(seed, mischief)
        proof.damage.strike()
        mischief.note(f"damaged: {proof.damage.told}")
        proof.begin()
        some = chance.sample(sorted(truth), min(len(truth), READ_AT_ONCE))
        assert not unread(there, truth, some, tmp_path / "read"), told(seed, mischief)
        judge(there, mischief, kills - kills // 2)
        faults = proof.faults()
        mischief.note(proof.told)
        sys.stdout.write(told(seed, mischief) + "\n")
        assert not faults, "\n".join(faults)


def store(there: Archive, truth: dict[str, bytes], mischief: Mischief, witness: Witness, kills: int) -> None:
    """Files come in, and meanwhile processes die, the bucket goes away, and a disk is full."""
    names, begun = list(truth), time.monotonic()
    for part in range(STRETCHES):
        there.take_in({name: truth[name] for name in names[part::STRETCHES]})
        wait(there, mischief, lambda: there.number(ACCEPTED) > 0, "the first copy is accepted")
        if not part:
            mischief.plan(kills, mischief.server_killed, mischief.server_held)
        mischief.step(*MEANWHILE)
        witness.look_again()
    if there.disk:
        wait(there, mischief, lambda: there.number(NO_ROOM) > 0, "the disk is full", *MEANWHILE)
        there.disk.resize(2 * sum(map(len, truth.values())) + LARGE)
        mischief.note("the disk was full, and has room again")
    else:
        mischief.note("NOT TRIED: a full disk, because nobody may mount one here")
        warnings.warn("A full disk was not tried: this machine lets nobody mount one.", stacklevel=1)

    def is_done() -> bool:
        witness.look_again()
        return mischief.is_over and there.number(WAITING_TO_BE_STORED) == 0

    wait(there, mischief, is_done, "all is stored", *MEANWHILE)
    mischief.note(f"{len(truth)} files stored and indexed in {time.monotonic() - begun:.1f} s")


def judge(there: Archive, mischief: Mischief, kills: int) -> None:
    """Audits and repairs, while processes die and the bucket goes away."""
    begun = time.monotonic()
    there.begin_audits()
    there.thaw()
    wait(there, mischief, lambda: there.number(AT_WORK) > 0, "audits have begun")
    mischief.plan(kills, mischief.server_killed)

    def is_done() -> bool:
        return mischief.is_over and there.number(WAITING_TO_BE_JUDGED) == 0

    wait(there, mischief, is_done, "all is judged", *AFTERWARDS)
    mischief.note(f"audited and repaired in {time.monotonic() - begun:.1f} s")


def wait(there: Archive, mischief: Mischief, condition: Callable[[], bool], what: str, *kinds: str) -> None:
    patience = 60 + there.number("SELECT count(*) FROM stored_file") / 2
    until = time.monotonic() + patience
    while not condition():
        mischief.step(*kinds)
        assert not there.ended(), f"{there.ended()} ended by themselves\n{there.log[-5000:]}"
        assert time.monotonic() < until, f"not after {patience:.0f} s: {what}\n{told(0, mischief)}"
        time.sleep(TICK)


def told(seed: int, mischief: Mischief) -> str:
    return "\n".join([f"seed {seed}, {mischief.kills} kills", *mischief.diary])
