"""The load itself, in a process of its own: neither slowed by what it measures, nor measured with it.

    python -m bench.load.generator PLAN       reads the plan (JSON), prints what was noted (JSON)

All people are tasks of one event loop. The process tells the CPU time that it took: if that is near the
length of the run, it measured itself.
"""

import asyncio
import json
import random
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvloop

from bench.load.librarians import Librarian, Office
from bench.load.noting import Notes
from bench.load.pace import Pace
from bench.load.readers import Captures, Door, Reader

LAST_WAIT = 150.0  # seconds for what was begun before the end


@dataclass(frozen=True)
class Plan:
    seconds: float
    seed: int
    readers: int
    librarians: int
    think: tuple[float, float]
    door: Door
    captures: Captures
    office: Office | None = None

    @classmethod
    def read(cls, text: str) -> "Plan":
        told = json.loads(text)
        told["door"] = Door(**told["door"])
        told["office"] = told["office"] and Office(**told["office"])
        captures = {
            url: [(timestamp, edition) for timestamp, edition in found]
            for url, found in told["captures"].items()
        }
        return cls(**{**told, "captures": captures, "think": tuple(told["think"])})


async def run(plan: Plan) -> dict[str, Any]:
    reading, office, over = Notes(), Notes(), asyncio.Event()

    def chance(who: str, number: int) -> random.Random:
        return random.Random(f"{plan.seed} {who} {number}")  # noqa: S311  (repeatable, not secret)

    def pace(own: random.Random) -> Pace:
        return Pace(own, *plan.think, over)

    people: list[asyncio.Task[None]] = []
    for number in range(plan.readers):
        own = chance("reader", number)
        source = f"127.0.2.{number % 250 + 1}"
        person = Reader(plan.door, plan.captures, reading, own, pace(own), source)
        people.append(asyncio.create_task(person.read()))
    for number in range(plan.librarians if plan.office else 0):
        own = chance("librarian", number)
        source, curator = f"127.0.3.{number % 250 + 1}", number % 5 == 0
        assert plan.office is not None
        worker = Librarian(plan.office, number, curator, office, own, pace(own), source)
        people.append(asyncio.create_task(worker.work()))
    began, spent = time.monotonic(), time.process_time()
    await asyncio.wait(people, timeout=plan.seconds, return_when=asyncio.FIRST_EXCEPTION)
    over.set()
    _, late = await asyncio.wait(people, timeout=LAST_WAIT)
    # With the last answers: they are counted, too.
    took, spent = time.monotonic() - began, time.process_time() - spent
    for task in people:
        if task in late:
            task.cancel()
            office.fault("end", "somebody still waits for an answer")
        else:
            task.result()  # a fault of this program must not look like a quiet run
    return {"seconds": took, "cpu": spent, "readers": reading.told(), "librarians": office.told()}


def main() -> None:
    plan = Plan.read(Path(sys.argv[1]).read_text())
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        sys.stdout.write(json.dumps(runner.run(run(plan))))


if __name__ == "__main__":
    main()
