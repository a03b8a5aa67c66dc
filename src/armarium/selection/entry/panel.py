"""What a record's page shows of the live check of its address."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request

from armarium.accounts.model import Identity, Permission
from armarium.core.services import Services
from armarium.selection.entry.model import Check
from armarium.selection.entry.service import Checks
from armarium.selection.entry.shown import shown_check
from armarium.selection.records.model import Record
from armarium.selection.records.service import Records
from armarium.selection.rights import editor_of


def panel_context(request: Request, visitor: Identity, record: Record) -> Mapping[str, Any]:
    """The last look at each of its addresses, and whether this visitor may have another one."""
    services: Services = request.app.state.services
    looks, running = services.get(Checks).of_record(record)
    may = visitor.may(Permission.SELECTION_EDIT)
    return {
        "check_shown": _shown(looks.get(record.address)),
        "check_further": [(one.address, _shown(looks.get(one.address))) for one in record.further],
        "check_running": running,
        "may_check": may and services.get(Records).may_change(editor_of(visitor), record.collection),
    }


def _shown(look: Check | None) -> Mapping[str, Any] | None:
    return shown_check(look) if look else None
