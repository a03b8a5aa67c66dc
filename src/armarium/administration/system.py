"""The system page (COL-6): every process with its machine, and the state of what they stand on."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import groupby
from typing import Annotated, Any

from fastapi import Depends
from pydantic import BaseModel, ConfigDict
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.message import message
from armarium.db.database import Database
from armarium.db.migrate import current, newest
from armarium.languages.speech import byte_size, number, say
from armarium.processes.model import Process, ProcessState
from armarium.processes.service import Processes
from armarium.settings import Settings
from armarium.settings.load import FILE_NAME
from armarium.settings.plain import plain
from armarium.settings.problems import InFile, Variable
from armarium.settings.section import Section, help_of, keys_of
from armarium.settings.show import Row, rows, written
from armarium.tasks.model import TaskState
from armarium.tasks.service import Tasks
from armarium.web.api import operation
from armarium.web.guard import needs
from armarium.web.routes import Router
from armarium.web.services import service
from armarium.web.shell import PageShell

pages = Router(prefix="/administration/system", dependencies=[Depends(needs(Permission.SYSTEM_VIEW))])
api = Router(tags=["system"])

ProcessesService = Annotated[Processes, Depends(service(Processes))]
TasksService = Annotated[Tasks, Depends(service(Tasks))]
DatabaseService = Annotated[Database, Depends(service(Database))]

LOW_DISK = 0.10  # less of it free than this is worth a colour
GONE = (ProcessState.ENDED, ProcessState.SILENT)


@pages.get("")
def system_page(
    request: Request,
    page: PageShell,
    processes: ProcessesService,
    tasks: TasksService,
    database: DatabaseService,
) -> Response:
    found = processes.current()
    context: dict[str, Any] = {"tiles": tiles(found, tasks, database), "machines": by_machine(found)}
    if request.headers.get("x-part"):
        return page.part(request, "administration/system_state.html", **context)
    return page.page(request, "administration/system.html", **context)


def by_machine(processes: Iterable[Process]) -> list[dict[str, Any]]:
    ordered = sorted(processes, key=lambda process: process.machine)  # stable: keeps the order inside
    return [
        machine_shown(machine, list(members))
        for machine, members in groupby(ordered, key=lambda process: process.machine)
    ]


def machine_shown(machine: str, members: Sequence[Process]) -> dict[str, Any]:
    """Those that ended in good order are folded away: after a few restarts they would hide the others."""
    ended = [process for process in members if process.state is ProcessState.ENDED]
    living = [process for process in members if process.state is not ProcessState.ENDED]
    return {"name": machine, "processes": [shown(p) for p in living], "ended": [shown(p) for p in ended]}


def shown(process: Process) -> dict[str, Any]:
    known = process.disk_total is not None and process.disk_free is not None
    total, free = process.disk_total or 0, process.disk_free or 0
    return {
        "id": process.id,
        "kind": process.kind,
        "name": process.name,
        "state": process.state.value,
        "heartbeat": process.heartbeat,
        "version": process.version,
        "pid": process.pid,
        "memory": process.memory,
        "disk_used": total - free if known else 0,
        "disk_total": total if known else 0,
        "restarts": process.restarts,
        "message": process.message,
        "monitoring": process.monitoring,
    }


def tiles(processes: Sequence[Process], tasks: Tasks, database: Database) -> list[dict[str, Any]]:
    return [process_tile(processes), task_tile(tasks), database_tile(database), *disk_tile(processes)]


def process_tile(processes: Sequence[Process]) -> dict[str, Any]:
    running = [process for process in processes if process.state not in GONE]
    silent = [process for process in processes if process.state is ProcessState.SILENT]
    return {
        "label": message("Processes"),
        "value": number(len(running)),
        "hint": message("%(count)s silent", count=number(len(silent))) if silent else message("none silent"),
        "href": "/administration/system",
        "kind": "bad" if silent else "good",
    }


def task_tile(tasks: Tasks) -> dict[str, Any]:
    counts = tasks.counts()
    failed = counts[TaskState.FAILED]
    waiting = counts[TaskState.WAITING] + counts[TaskState.SCHEDULED]
    return {
        "label": message("Tasks"),
        "value": number(waiting + counts[TaskState.RUNNING]),
        "hint": say(message("%(count)s failed", count=number(failed))),
        "href": "/administration/tasks?state=failed" if failed else "/administration/tasks",
        "kind": "warning" if failed else "good",
    }


def database_tile(database: Database) -> dict[str, Any]:
    schema = current(database)
    return {
        "label": message("Database"),
        "value": byte_size(database.size()),
        "hint": message("schema %(revision)s", revision=schema or "–"),
        "href": None,
        "kind": "good" if schema == newest() else "warning",
    }


def disk_tile(processes: Sequence[Process]) -> list[dict[str, Any]]:
    """The fullest disk that a running process told of."""
    told = [
        (process.disk_free, process.disk_total, process.machine)
        for process in processes
        if process.state not in GONE and process.disk_free is not None and process.disk_total
    ]
    if not told:
        return []
    free, total, machine = min(told, key=lambda disk: disk[0] / disk[1])
    return [
        {
            "label": message("Disk"),
            "value": byte_size(free),
            "hint": message("free of %(total)s on %(machine)s", total=byte_size(total), machine=machine),
            "href": "/administration/system",
            "kind": "bad" if free < LOW_DISK * total else "good",
        }
    ]


class ProcessShown(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    kind: str
    name: str
    machine: str
    pid: int
    version: str
    state: ProcessState
    started: datetime
    heartbeat: datetime
    message: str
    monitoring: str | None
    memory: int | None
    disk_free: int | None
    disk_total: int | None
    restarts: int


@api.get("/processes", summary="List the processes of Armarium", **operation(Permission.SYSTEM_VIEW))
def list_processes(processes: ProcessesService) -> list[ProcessShown]:
    return [ProcessShown.model_validate(process) for process in processes.current()]


# --- The settings in force, to look at: they are changed in the file or the environment.


settings_pages = Router(
    prefix="/administration/settings", dependencies=[Depends(needs(Permission.SETTINGS_VIEW))]
)
settings_api = Router(tags=["system"])

SettingsService = Annotated[Settings, Depends(service(Settings))]


@settings_pages.get("")
def settings_page(request: Request, page: PageShell, settings: SettingsService) -> Response:
    context: dict[str, Any] = {
        "file": str(settings.file or settings.home / FILE_NAME),
        "exists": settings.file is not None,
        "groups": groups(settings),
    }
    return page.page(request, "administration/settings.html", **context)


def groups(settings: Settings) -> list[dict[str, Any]]:
    sections = {section.section_name: section for section in settings.sections}
    return [
        {
            "name": name,
            "help": help_of(sections[name]),
            "keys": keys,
            "changed": sum(key["origin"] != "default" for key in keys),
        }
        for name, members in groupby(rows(settings), key=lambda row: row.section)
        if (keys := settings_shown(settings, sections[name], list(members)))
    ]


def settings_shown(
    settings: Settings, section: type[Section], members: Sequence[Row]
) -> list[dict[str, Any]]:
    declared = {key.name: key for key in keys_of(section)}
    found = []
    for row in members:
        origin = settings.origin(section, row.key)
        kind = (
            "file"
            if isinstance(origin, InFile)
            else "environment"
            if isinstance(origin, Variable)
            else "default"
        )
        found.append(
            {
                "name": row.key,
                "value": written(row.value),
                "secret": declared[row.key].secret,
                "default": written(plain(declared[row.key].default)),
                "help": row.help,
                "origin": kind,
                "variable": row.variable,
            }
        )
    return found


class SettingShown(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    section: str
    key: str
    value: Any
    origin: str
    variable: str
    help: str


@settings_api.get(
    "/settings", summary="Read the settings in force, secrets masked", **operation(Permission.SETTINGS_VIEW)
)
def read_settings(settings: SettingsService) -> list[SettingShown]:
    return [SettingShown.model_validate(row) for row in rows(settings)]
