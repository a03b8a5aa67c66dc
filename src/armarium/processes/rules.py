"""Decisions about processes, without clock or database."""

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from armarium.core.text import storable
from armarium.processes.model import Process, ProcessState

MISSED = 3  # heartbeats in a row: one may be late on a busy machine, three are a sign
LONGEST_MESSAGE = 1000

# Trouble first, then what runs, then history.
_PLACE = {
    ProcessState.SILENT: 0,
    ProcessState.STARTING: 1,
    ProcessState.RUNNING: 1,
    ProcessState.DRAINING: 1,
    ProcessState.ENDED: 2,
}


def is_silent(state: ProcessState, heartbeat: datetime, interval: timedelta, now: datetime) -> bool:
    return state is not ProcessState.ENDED and now - heartbeat > MISSED * interval


def as_of(process: Process, now: datetime) -> Process:
    """The process with the state that a reader at `now` should see."""
    if is_silent(process.state, process.heartbeat, process.interval, now):
        return replace(process, state=ProcessState.SILENT)
    return process


def in_order(processes: Iterable[Process]) -> list[Process]:
    return sorted(processes, key=lambda p: (_PLACE[p.state], p.kind, p.machine, _counted(p.name), p.id))


def worth_a_notification(process: Process) -> bool:
    """Whether the silence of this process is news; `process.state` is the last one it told.

    One that was draining had been told to stop, and ended before it could say goodbye.
    """
    return process.state in (ProcessState.STARTING, ProcessState.RUNNING)


def storable_message(message: str) -> str:
    """No longer than a line or two; whatever it quotes must not keep the heartbeat from being written."""
    return storable(message[:LONGEST_MESSAGE])


def _counted(name: str) -> list[tuple[str, int]]:
    """Sort key that puts worker-2 before worker-10."""
    return [(word, int(number or 0)) for word, number in re.findall(r"(\D*)(\d{0,18})", name)]
