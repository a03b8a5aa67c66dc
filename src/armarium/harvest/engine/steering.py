"""What a running crawl can be asked and told: the verbs of its control socket."""

from itertools import islice
from typing import Any

from armarium.core.clock import now
from armarium.core.errors import Refused
from armarium.harvest.engine.changes import OPERATOR
from armarium.harvest.engine.control import Verb
from armarium.harvest.engine.engine import End, Engine, State, add_filter, found_by
from armarium.harvest.engine.visiting import Parts
from armarium.harvest.folder import CrawlFolder
from armarium.harvest.frontier import QueueReport, QueueState
from armarium.harvest.frontier.budget import Budget
from armarium.harvest.options import build_order

SAMPLES = 5
MOST_TYPES = 10


class Steering:
    """Answers for one process of a crawl. Each verb takes and gives a JSON document."""

    def __init__(self, engine: Engine, parts: Parts, folder: CrawlFolder) -> None:
        self._engine = engine
        self._parts = parts
        self._folder = folder

    def verbs(self) -> dict[str, Verb]:
        return {
            "status": self.status,
            "pause": self.pause,
            "resume": self.resume,
            "terminate": self.terminate,
            "checkpoint": self.checkpoint,
            "filter": self.filter,
            "budget": self.budget,
            "pace": self.pace,
            "queues": self.queues,
            "blocked": self.blocked,
            "traps": self.traps,
        }

    async def status(self, _: dict[str, Any]) -> dict[str, Any]:
        return self.report()

    def report(self) -> dict[str, Any]:
        """All that a view shows."""
        engine, parts = self._engine, self._parts
        counts, ledger = parts.frontier.counts, parts.ledger
        objects, volume = ledger.rates()
        states = parts.frontier.queue_states()
        biggest = parts.frontier.biggest(10)
        totals = ledger.statistics.totals
        return {
            "name": parts.order.name,
            "state": str(engine.state),
            "pause_reason": engine.pause_reason,
            "seconds": round(engine.elapsed, 1),
            "objects": ledger.objects,
            "bytes": ledger.bytes,
            "discovered": counts.discovered,
            "queued": counts.queued,  # as the queues count: those under way are among them
            "in_flight": counts.in_flight,
            "waiting": counts.waiting,  # they failed, and wait for their next attempt
            "failing_seeds": dict(islice(ledger.failing_seeds.items(), SAMPLES)),
            "finished": counts.finished,
            "failed": counts.failed,
            "disregarded": counts.disregarded,
            "objects_per_second": round(objects, 2),
            "bytes_per_second": round(volume),
            "seconds_left": _seconds_left(biggest, counts.queued, objects, engine.elapsed),
            "queues_active": sum(states.get(one, 0) for one in (QueueState.READY, QueueState.SNOOZED)),
            "queues": {str(state): count for state, count in states.items()},
            "hosts": sum(states.values()),
            "hosts_done": sum(states.get(one, 0) for one in (QueueState.RETIRED, QueueState.EXHAUSTED)),
            "mimes": ledger.statistics.biggest_types(MOST_TYPES),
            "statuses": ledger.statistics.by_status(),
            "duplicates": totals.duplicates + totals.not_modified,
            "duplicate_bytes": totals.duplicate_bytes,
            "blocked_servers": len(parts.frontier.blocked_servers()),
            "traps": len(ledger.traps),
            "written_bytes": parts.recorder.written_bytes,
            **share_told(engine.share, waits=engine.waits),
            "biggest": [_queue(queue) for queue in biggest],
        }

    async def pause(self, asked: dict[str, Any]) -> dict[str, Any]:
        if self._engine.state is not State.RUNNING:
            raise Refused(f"The crawl cannot be paused: it is {self._engine.state}.")
        self._engine.pause(str(asked.get("reason") or "by the operator"))
        self._parts.ledger.event("PAUSED", "Paused")
        async with self._parts.writing:
            self._engine.commit()
        return {}

    async def resume(self, _: dict[str, Any]) -> dict[str, Any]:
        if self._engine.state is not State.PAUSED:
            raise Refused(f"The crawl cannot go on: it is {self._engine.state}, not paused.")
        self._engine.resume()
        self._parts.ledger.event("RUNNING", "Running")
        return {}

    async def terminate(self, asked: dict[str, Any]) -> dict[str, Any]:
        self._parts.changes.other("terminate")
        self._engine.stop(ended_because(asked))
        return {}

    async def checkpoint(self, _: dict[str, Any]) -> dict[str, Any]:
        """Finish the WARC file, and keep a copy of the frontier that can be put in its place."""
        moment = now()
        folder = self._folder.state / "checkpoints" / moment.strftime("%Y%m%d%H%M%S%f")[:17]
        folder.mkdir(parents=True)
        async with self._parts.writing:
            self._parts.recorder.seal()
            self._engine.commit()
            self._parts.frontier.checkpoint(folder)
        self._parts.ledger.logs.checkpoint(moment, str(folder))
        return {"folder": str(folder)}

    async def filter(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Add a filter, and take what it rejects out of the queues; with `preview`, only count that."""
        pattern, domain = str(asked["pattern"]), str(asked.get("domain") or "")
        if asked.get("preview"):
            matching = list(self._parts.frontier.matching(found_by(self._parts, pattern, domain)))
            return {"queued": len(matching), "samples": matching[:SAMPLES]}
        accept = bool(asked.get("accept"))
        return {"queued": add_filter(self._parts, pattern, accept=accept, domain=domain, why=OPERATOR)}

    async def budget(self, asked: dict[str, Any]) -> dict[str, Any]:
        if "share" in asked:
            self._engine.give(share_in(asked))
            self._parts.changes.other("budget", share=asked["share"])
            return {}
        objects, volume = asked.get("objects"), asked.get("bytes")
        if not all(limit is None or isinstance(limit, int) for limit in (objects, volume)):
            raise Refused("A budget is a whole number, and -1 for none.")
        count = self._parts.frontier.set_budget(str(asked["queue"]), objects=objects, bytes_=volume)
        if not count and asked["queue"] != "*":
            raise Refused(f"There is no queue {asked['queue']!r}. See them with: armarium harvest queues")
        self._parts.changes.other("budget", queue=asked["queue"], objects=objects, bytes=volume)
        return {"queues": count}

    async def pace(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Other politeness from now on."""
        order = self._parts.order
        changed = {name: value for name, value in asked.items() if name != "verb"}
        politeness = order.politeness.model_dump() | changed
        order = self._parts.order = build_order(order.model_dump() | {"politeness": politeness}, "The pace")
        self._parts.frontier.change(self._parts.order)
        self._parts.changes.other("pace", **changed)
        return order.politeness.model_dump()

    async def queues(self, asked: dict[str, Any]) -> dict[str, Any]:
        most = min(int(asked.get("most") or 20), 10_000)
        return {"queues": [_queue(queue) for queue in self._parts.frontier.biggest(most)]}

    async def blocked(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"servers": [server._asdict() for server in self._parts.frontier.blocked_servers()]}

    async def traps(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"traps": self._parts.ledger.traps}


def share_in(asked: dict[str, Any]) -> Budget:
    """Of a budget that several crawls share."""
    share = Budget(asked["share"].get("objects"), asked["share"].get("bytes"))
    if not all(limit is None or isinstance(limit, int) for limit in share):
        raise Refused("A share is whole numbers of objects and bytes.")
    return share


def share_told(share: Budget, *, waits: bool) -> dict[str, Any]:
    return {"share_objects": share.objects, "share_bytes": share.bytes, "waits_for_budget": waits}


def ended_because(asked: dict[str, Any]) -> End:
    return End.BUDGET if asked.get("why") == "budget" else End.OPERATOR


def _queue(queue: QueueReport) -> dict[str, Any]:
    return {
        "queue": queue.name,
        "state": queue.state,
        "queued": queue.queued,
        "waiting": queue.waiting,
        "objects": queue.objects,
        "bytes": queue.bytes,
        "max_objects": queue.max_objects,
        "max_bytes": queue.max_bytes,
        "server": queue.address,
    }


def _seconds_left(biggest: list[QueueReport], queued: int, rate: float, elapsed: float) -> float | None:
    """By the rate of all, and by the pace of the longest queue: politeness may make that the last to end."""
    if not queued:
        return 0.0
    if rate <= 0 or elapsed < 2:
        return None
    longest = max((one.queued * elapsed / one.finished for one in biggest if one.finished), default=0.0)
    return round(max(queued / rate, longest), 1)
