"""The fourth act: files in two replicas, the index, what need not be kept twice, and a first audit."""

from dataclasses import dataclass

from armarium.core.errors import Unavailable
from armarium.core.message import message
from armarium.db.database import Database
from armarium.demo.acts.settling_in import World
from armarium.demo.stage import Step, counted, size
from armarium.formats.cdx.parsing import capture_in
from armarium.formats.cdx.query import Match, Query
from armarium.index.chain.model import IndexState
from armarium.index.chain.service import Chain
from armarium.storage.audits.model import Run
from armarium.storage.audits.service import Audits
from armarium.storage.files.catalogue import Catalogue
from armarium.storage.files.model import FileFilter
from armarium.storage.model import AuditKind, FileState, RunState
from armarium.storage.replicas.service import Replicas


@dataclass(frozen=True)
class Kept:
    """What the archive holds."""

    files: int
    bytes: int
    captures: int
    revisits: int  # captures whose content was there already
    saved: int  # bytes that these would have taken


def show_kept(world: World, storing: Step, indexing: Step) -> bool:
    """How far the files are that have come; whether all of them are in every replica and in the index."""
    catalogue, chain = Catalogue(world.get(Database)), world.get(Chain)
    files = catalogue.page(FileFilter(), limit=1)[1].files
    stored = catalogue.page(FileFilter(state=FileState.STORED), limit=1)[1].files
    indexed = chain.counts().get(IndexState.INDEXED, 0)
    if files:
        storing.show(f"{stored} of {counted(files, 'file')}", stored, files)
        indexing.show(f"{indexed} of {counted(files, 'file')}", indexed, files)
    return files == stored == indexed


def wait_until_kept(world: World, storing: Step, indexing: Step) -> None:
    """Until every file is in both replicas, read back and compared, and the index knows it."""
    late = message(
        "It took too long to store and index the files. The demonstration is unfinished: run it again, which "
        "begins anew. %(log)s says more.",
        log=world.log,
    )
    world.wait(lambda: show_kept(world, storing, indexing), late)


def keep(world: World, storing: Step, indexing: Step) -> Kept:
    wait_until_kept(world, storing, indexing)
    kept = kept_now(world)
    replicas = counted(len(world.get(Replicas).in_use()), "replica")
    storing.end(f"{counted(kept.files, 'file')}, each in {replicas}, read back")
    indexing.end(f"{counted(kept.captures, 'capture')} can be found")
    return kept


def kept_now(world: World) -> Kept:
    """Counted in the index: a revisit says which capture has its content, and that one how long it is."""
    lookup = world.get(Chain).lookup()
    captures = revisits = saved = 0
    for raw in lookup.raw(Query(match=Match.RANGE)):
        line = capture_in(raw)
        if line is None:
            continue
        captures += 1
        if line.is_revisit:
            revisits += 1
            original = lookup.resolve(line)
            if original is not None:
                saved += max((original.length or 0) - (line.length or 0), 0)
    amount = Catalogue(world.get(Database)).page(FileFilter(), limit=1)[1]
    return Kept(amount.files, amount.bytes, captures, revisits, saved)


def audit(world: World, step: Step) -> None:
    """Every byte of both replicas is read again."""
    audits, expert = world.get(Audits), world.actor("preservation")
    numbers = [
        audits.start(expert, replica.id, AuditKind.CHECKSUM) for replica in world.get(Replicas).in_use()
    ]
    runs: list[Run] = []

    def over() -> bool:
        runs[:] = [audits.get(number) for number in numbers]
        step.show("every byte is read again", sum(run.share() for run in runs), len(runs))
        return not any(run.at_work for run in runs)

    late = message(
        "The audit took too long. The demonstration is unfinished: run it again, which begins anew. "
        "%(log)s says more.",
        log=world.log,
    )
    world.wait(over, late)
    for run in runs:
        _refuse_failure(run, world.log)
    read = sum(run.bytes for run in runs)
    step.end(f"{counted(len(runs), 'replica')}, {size(read)} read, every copy is well")


def _refuse_failure(run: Run, log: str) -> None:
    if run.state is not RunState.FINISHED:
        raise Unavailable(
            message(
                "The audit of replica %(name)s did not come to its end. The demonstration is unfinished: run "
                "it again, which begins anew. %(log)s says more.",
                name=run.replica_name,
                log=log,
            )
        )
    if run.damages:
        raise Unavailable(
            message(
                "The audit of replica %(name)s found damaged copies: %(damages)s. Look after the disk, then "
                "run the demonstration again, which begins anew.",
                name=run.replica_name,
                damages=run.damages,
            )
        )
