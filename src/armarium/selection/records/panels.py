"""Panels of a record's page: what the room's other parts know about the record.

A part of the room adds its line to PANELS: a title, a template that shows the inside of the panel, and a
function that gives the template what it needs. The page puts a frame with the title around it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup
from starlette.requests import Request

from armarium.accounts.model import Identity
from armarium.core.errors import NotFound
from armarium.core.message import Message, message
from armarium.selection.entry import panel as entry
from armarium.selection.findings import pages as findings
from armarium.selection.legal import panel as legal
from armarium.selection.records.model import Record
from armarium.selection.transfer import pages as transfer
from armarium.web.shell import Shell

#: What the template needs beside `record`; None: there is nothing to show, and the panel stays away.
Context = Callable[[Request, Identity, Record], Mapping[str, Any] | None]


@dataclass(frozen=True)
class Panel:
    """One panel. Its template knows `record`, `visitor`, what `context` gives, and what every page knows."""

    name: str  # a word, for its id on the page and for its address: /selection/records/7/panels/check
    title: Message
    template: str  # "selection/entry_panel.html": what stands under the title, without a frame
    context: Context
    topics: str = ""  # live topics, with spaces between them, at which the panel is fetched again
    wide: bool = False  # among the record's own facts, not in the narrow column beside them


#: In the order of the page.
PANELS: tuple[Panel, ...] = (
    Panel("check", message("Live check"), "selection/check_panel.html", entry.panel_context, "records"),
    Panel("scope", message("Legal scope"), "selection/scope_panel.html", legal.panel_context, "records"),
    Panel(
        "findings",
        message("Findings"),
        "selection/findings_panel.html",
        findings.findings_context,
        "findings",
    ),
    Panel(
        "planning",
        message("In planning"),
        "selection/transfer_panel.html",
        transfer.panel_context,
        "transfer",
    ),
    Panel(
        "harvests",
        message("What was harvested"),
        "selection/harvests_panel.html",
        findings.harvests_context,
        "records",
        wide=True,
    ),
)


def shown(request: Request, visitor: Identity, page: Shell, record: Record) -> list[dict[str, Any]]:
    """The panels that have something to show, for `selection/records_panels.html`."""
    return [
        {"panel": panel, "content": content}
        for panel in PANELS
        if (content := content_of(panel, request, visitor, page, record)) is not None
    ]


def content_of(
    panel: Panel, request: Request, visitor: Identity, page: Shell, record: Record
) -> Markup | None:
    context = panel.context(request, visitor, record)
    if context is None:
        return None
    return page.piece(request, panel.template, **{**context, "record": record, "visitor": visitor})


def named(name: str) -> Panel:
    for panel in PANELS:
        if panel.name == name:
            return panel
    raise NotFound(message("A record's page has no panel “%(name)s”.", name=name))
