"""One step of a run: the next chunk of candidates goes into jobs, in the caller's transaction."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from armarium.planning.generation import queries
from armarium.planning.generation.chunk import Chunk, JobMaker
from armarium.planning.generation.filling import Filling, OpenJob
from armarium.planning.generation.order import Frame
from armarium.planning.generation.source import START, Place, Source
from armarium.planning.settings import PlanningSettings


@dataclass(frozen=True)
class Cursor:
    """Where a run is: all that its next step has to know."""

    after: Place = START
    done: int = 0  # candidates looked at
    of: int = 0
    open: tuple[OpenJob, ...] = field(default=())

    def facts(self) -> dict[str, Any]:
        """As JSON keeps it."""
        return {
            "after": list(self.after),
            "done": self.done,
            "of": self.of,
            "open": [job.facts() for job in self.open],
        }

    @classmethod
    def read(cls, facts: Mapping[str, Any]) -> "Cursor":
        domain, configuration = facts["after"]
        return cls(
            (domain, configuration),
            facts["done"],
            facts["of"],
            tuple(OpenJob.of(one) for one in facts["open"]),
        )


def step(connection: Connection, run: Any, source: Source, jobs: JobMaker) -> bool:
    """The next chunk of a run that is held; False: there was none left."""
    cursor = Cursor.read(run.cursor) if run.cursor else Cursor(of=source.how_many(connection))
    rows, after = source.chunk(connection, cursor.after)
    if not rows:
        return False
    sieve = source.sieve()
    candidates = sieve.sift(rows)
    filling = Filling(source.rules(), jobs.number, cursor.open)
    chunk = Chunk(filling)
    chunk.place(candidates)
    chunk.write(connection, jobs)
    filling.forget_before(after[0])
    behind = Cursor(after, cursor.done + len(rows), cursor.of, tuple(filling.still_open()))
    left_out = Counter(run.left_out)
    left_out.update({reason.value: count for reason, count in sieve.left_out.items()})
    queries.save_run(
        connection,
        run.id,
        cursor=behind.facts(),
        jobs=run.jobs + len(filling.opened),
        configurations=run.configurations + len(candidates),
        left_out=dict(left_out),
    )
    return True


def frame_of(connection: Connection, harvest: Any, settings: PlanningSettings) -> Frame:
    """Crawler traps for all domains and those of the harvest; limits; who harvests."""
    traps = [*queries.active_traps(connection), *harvest.traps]
    who = {"operator": settings.operator, "contact": settings.contact, "mail": settings.mail}
    return Frame(
        harvest=harvest.id,
        max_objects=harvest.max_objects,
        max_bytes=harvest.max_bytes,
        max_seconds=harvest.max_seconds,
        reject=tuple(dict.fromkeys(traps)),
        identity={name: value for name, value in who.items() if value},
        file_prefix=settings.file_prefix,
    )
