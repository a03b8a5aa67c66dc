"""That harvests, audits, merges and replays really ran while mischief was done: else nothing is proved."""

from dataclasses import dataclass
from datetime import datetime

from tests.acceptance.whole.mischief import DEEDS, ROUNDS
from tests.acceptance.whole.world import World

Span = tuple[datetime, datetime]

#: Begin and end of each; what was killed has no end, and was heard of until then.
WORK = {
    "harvests": "SELECT leased_at AS began, coalesce(ended_at, now()) AS ended FROM job_attempt",
    "audits": (
        "SELECT started_at AS began, coalesce(ended_at, heard_at, started_at) AS ended FROM audit_run"
        " WHERE files > 0"
    ),
    "merges": (
        "SELECT started_at AS began, coalesce(ended_at, heard_at, started_at) AS ended FROM index_step"
        " WHERE step IN ('daily', 'big', 'drop')"
    ),
}


@dataclass(frozen=True)
class Meanwhile:
    """What was under way while mischief was done."""

    mischief: Span
    deeds: list[Span]
    work: dict[str, list[Span]]

    @property
    def figures(self) -> dict[str, int]:
        ran = {f"{what} during the mischief": len(spans) for what, spans in self._during().items()}
        met = {f"deeds during {what}": self._met(spans) for what, spans in self.work.items()}
        return {**ran, **met}

    def faults(self) -> list[str]:
        """None may be missing; and when the deck was played twice, some deed must have met each of them."""
        found = [
            f"no {what} ran while mischief was done" for what, spans in self._during().items() if not spans
        ]
        if len(self.deeds) >= ROUNDS * len(DEEDS):
            found += [f"no deed met {what}" for what, spans in self.work.items() if not self._met(spans)]
        return found

    def _during(self) -> dict[str, list[Span]]:
        first, last = self.mischief
        return {
            what: [(began, ended) for began, ended in spans if began <= last and ended >= first]
            for what, spans in self.work.items()
        }

    def _met(self, spans: list[Span]) -> int:
        return sum(
            any(began <= last and ended >= first for began, ended in spans) for first, last in self.deeds
        )


def meanwhile(world: World, mischief: Span, replays: list[Span]) -> Meanwhile:
    work = {
        what: [(row["began"], row["ended"]) for row in world.archive.ask(query)]
        for what, query in WORK.items()
    }
    return Meanwhile(mischief, world.diary.deeds, {**work, "replays": replays})
