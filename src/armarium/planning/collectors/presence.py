"""Collectors among the processes of the system page. They have no database: the server enters them."""

from datetime import timedelta

from sqlalchemy import Connection

from armarium.core.collecting import Machine
from armarium.core.text import storable
from armarium.planning.collectors.model import SILENCE, Collector
from armarium.processes import service as processes
from armarium.processes.model import Introduction, ProcessState, Pulse
from armarium.processes.rules import MISSED, storable_message

KIND = "collector"
NO_PID = 0  # it is not told, and would mean nothing here
#: The process table calls a process silent after a few of these: at the moment when our own page does.
INTERVAL: timedelta = SILENCE / MISSED


def enter(connection: Connection, collector: Collector, machine: Machine) -> None:
    """Note that a collector was heard of, with what it does."""
    where = storable(machine.machine) or collector.name
    introduction = Introduction(
        KIND, collector.name, where, NO_PID, storable(machine.version), interval=INTERVAL
    )
    processes.hear(connection, introduction, pulse_of(collector, machine))


def leave(connection: Connection, collector: Collector) -> None:
    processes.part(connection, KIND, collector.name, "Revoked.")


def pulse_of(collector: Collector, machine: Machine) -> Pulse:
    slots = min(collector.slots, machine.slots)
    said = f"{len(machine.jobs)} of {slots} {'slot' if slots == 1 else 'slots'} busy."
    return Pulse(
        # One that was told to take nothing new may go away: nobody need be told.
        ProcessState.RUNNING if collector.active else ProcessState.DRAINING,
        storable_message(" ".join(filter(None, (said, machine.trouble)))),
        disk_free=machine.free_bytes,
        disk_total=machine.total_bytes,
    )
