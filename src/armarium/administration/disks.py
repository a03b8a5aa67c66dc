"""Tells the operators when a disk fills up, before it is full and nothing can be written any more."""

from armarium.core.message import message
from armarium.db.database import Database
from armarium.notify.model import Notification, Severity
from armarium.notify.service import Notifier
from armarium.processes.model import Process, ProcessState
from armarium.processes.service import Processes
from armarium.tasks.context import TaskContext

LITTLE = 10  # per cent of a disk
GIGABYTE = 1_000_000_000


def look_at_disks(context: TaskContext) -> None:
    """Tell the operators of machines with little room where the data folder is."""
    for process in short_of_room(context.service(Processes).current()):
        about, notifier = little_room(process), context.service(Notifier)
        with context.service(Database).transaction() as connection:
            if not notifier.is_quiet(connection, about.key):  # another look at the same disk is no repetition
                notifier.notify(connection, about)


def short_of_room(processes: list[Process]) -> list[Process]:
    """For each machine with little room, the process that last looked at its disk."""
    latest: dict[str, Process] = {}
    for process in processes:
        if process.disk_total and process.state not in {ProcessState.ENDED, ProcessState.SILENT}:
            known = latest.setdefault(process.machine, process)
            latest[process.machine] = max(known, process, key=lambda either: either.heartbeat)
    return [
        process
        for process in latest.values()
        if 100 * (process.disk_free or 0) < LITTLE * (process.disk_total or 0)
    ]


def little_room(process: Process) -> Notification:
    return Notification(
        severity=Severity.WARNING,
        subject=message("Little room left on the disk of %(machine)s", machine=process.machine),
        text=message(
            "On %(machine)s, the disk with the data folder has %(free)s of %(total)s GB left. When it is "
            "full, Armarium cannot write any more. Make room, or move the data folder to a larger disk.",
            machine=process.machine,
            free=f"{(process.disk_free or 0) / GIGABYTE:.1f}",
            total=f"{(process.disk_total or 0) / GIGABYTE:.1f}",
        ),
        key=f"disk {process.machine}",
    )
