"""What the overview after sign-in shows of the house itself."""

from collections.abc import Mapping
from typing import Any

from armarium.accounts.model import Identity, Permission
from armarium.administration.system import tiles
from armarium.core.services import Services
from armarium.db.database import Database
from armarium.processes.service import Processes
from armarium.tasks.service import Tasks


def overview(services: Services, identity: Identity) -> Mapping[str, Any]:
    """Figures that this person may see; a reader sees none of the machine room."""
    if not identity.may(Permission.SYSTEM_VIEW):
        return {"tiles": [], "topics": "", "panels": []}
    tasks, database = services.get(Tasks), services.get(Database)
    found = tiles(services.get(Processes).current(), tasks, database)
    return {"tiles": [linked(tile, identity) for tile in found], "topics": "processes tasks", "panels": []}


def linked(tile: Mapping[str, Any], identity: Identity) -> dict[str, Any]:
    """A tile leads only where this person may go."""
    to_tasks = str(tile["href"] or "").startswith("/administration/tasks")
    if to_tasks and not identity.may(Permission.TASKS_VIEW):
        return {**tile, "href": None}
    return dict(tile)
