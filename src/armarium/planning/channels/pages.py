"""The API and the pages of channels."""

from typing import Annotated, Any

from fastapi import Depends
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.message import Message, message
from armarium.planning.audit_history import history_of
from armarium.planning.channels.service import HIGHEST, Channel, Channels, Traffic
from armarium.planning.model import HarvestKind
from armarium.web.api import operation
from armarium.web.form_values import FormReader, typed
from armarium.web.forms import Form, filled
from armarium.web.guard import Visitor
from armarium.web.pages import Page, PageRequest, form_pages, guarded
from armarium.web.paging import Number
from armarium.web.routes import Router
from armarium.web.services import service

ADDRESS = "/harvesting/channels"
pages = Router(prefix=ADDRESS)
api = Router(prefix="/channels", tags=["channels"])

ChannelsService = Annotated[Channels, Depends(service(Channels))]
VIEW, CHANGE = Permission.PLANNING_VIEW, Permission.PLANNING_RULES


class ChannelGiven(BaseModel):
    """PUT replaces: what is not said is as here."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(max_length=60)
    description: str = Field("", max_length=10_000)
    priority: int = Field(0, ge=-HIGHEST, le=HIGHEST, description="Higher is served first.")
    default_for: list[HarvestKind] = []
    active: bool = True

    def new(self) -> Channel:
        return Channel(**{**self.model_dump(), "default_for": " ".join(self.default_for)})


class ChannelShown(BaseModel):
    id: int
    name: str
    description: str
    priority: int
    default_for: list[HarvestKind]
    active: bool
    waiting: int
    running: int
    collectors: list[str]


def shown(channel: Channel, traffic: Traffic) -> ChannelShown:
    return ChannelShown(
        id=channel.id,
        name=channel.name,
        description=channel.description,
        priority=channel.priority,
        default_for=[HarvestKind(kind) for kind in channel.kinds],
        active=channel.active,
        waiting=traffic.waiting,
        running=traffic.running,
        collectors=[name for _, name, _ in traffic.collectors],
    )


@api.get("", summary="List channels with their jobs and collectors", **operation(VIEW))
def list_channels(channels: ChannelsService) -> list[ChannelShown]:
    traffic = channels.traffic()
    return [shown(one, traffic[one.id]) for one in channels.all()]


@api.post("", status_code=201, summary="Create a channel", **operation(CHANGE))
def create_channel(visitor: Visitor, given: ChannelGiven, channels: ChannelsService) -> ChannelShown:
    made = channels.create(visitor.actor, given.new())
    return shown(made, channels.traffic()[made.id])


@api.get("/{number}", summary="Read a channel", **operation(VIEW))
def read_channel(number: Number, channels: ChannelsService) -> ChannelShown:
    return shown(channels.get(number), channels.traffic()[number])


@api.put("/{number}", summary="Replace a channel", **operation(CHANGE))
def replace_channel(
    number: Number, visitor: Visitor, given: ChannelGiven, channels: ChannelsService
) -> ChannelShown:
    changed = channels.change(visitor.actor, number, given.new())
    return shown(changed, channels.traffic()[number])


KINDS: dict[HarvestKind, tuple[Message, Message]] = {
    HarvestKind.SELECTIVE: (message("Selective harvests"), message("Chosen domains on a schedule.")),
    HarvestKind.EVENT: (message("Event harvests"), message("Pasted seeds for a current event.")),
    HarvestKind.BROAD: (message("Broad harvests"), message("All active domains.")),
}


@pages.get("", dependencies=guarded(VIEW))
def channels_page(page: Page, channels: ChannelsService) -> Response:
    """All of them on one page: a channel is a kind of machine, and there are but a few."""
    listed: dict[str, Any] = {
        "channels": channels.all(),
        "traffic": channels.traffic(),
        "kinds": {kind.value: titles[0] for kind, titles in KINDS.items()},
        "may_change": page.may(CHANGE),
    }
    if page.is_part:
        return page.part("planning/channels_table.html", **listed)
    return page.show("planning/channels_list.html", **listed)


def show(page: PageRequest, channels: Channels, channel: Channel | None, form: Form) -> Response:
    return page.show(
        "planning/channels_show.html",
        form,
        channel=channel,
        traffic=channels.traffic().get(channel.id) if channel else None,
        kind_options=[(kind.value, title, about) for kind, (title, about) in KINDS.items()],
        history=history_of(page.request, page.shell, "channel", channel.id) if channel else [],
        may_change=page.may(CHANGE),
        address=f"{ADDRESS}/{channel.id if channel else 'new'}",
    )


def save(page: PageRequest, channels: Channels, known: Channel | None, form: Form) -> Response:
    kinds = form.values["default_for"] = form.chosen("default_for")  # all of them, if it is shown again
    with FormReader(form) as read:
        priority = read.number("priority", most=999_999_999, signed=True) or 0
    new = Channel(
        name=form.get("name"),
        description=form.get("description"),
        priority=priority,
        default_for=" ".join(kinds),
        active=form.ticked("active"),
    )
    if known is None:
        made = channels.create(page.actor, new)
        return page.done(ADDRESS, message("Channel %(name)s created.", name=made.name))
    changed = channels.change(page.actor, known.id, new, seen=form.get("seen"))
    return page.done(ADDRESS, message("Channel %(name)s saved.", name=changed.name))


def channel_form(known: Channel | None) -> Form:
    if known is None:
        return filled(priority=0, active="yes", default_for=[])
    return filled(**{**typed(known), "default_for": list(known.kinds)})


form_pages(pages, Channels, view=VIEW, change=CHANGE, form_of=channel_form, show=show, save=save)
