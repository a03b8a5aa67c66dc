"""The API of channels."""

from typing import Annotated

from fastapi import Depends
from pydantic import BaseModel, ConfigDict, Field

from armarium.accounts.model import Permission
from armarium.planning.channels.service import HIGHEST, Channel, Channels, Traffic
from armarium.planning.model import HarvestKind
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import Number
from armarium.web.routes import Router
from armarium.web.services import service

api = Router(prefix="/channels", tags=["channels"])

ChannelsService = Annotated[Channels, Depends(service(Channels))]
VIEW = operation(Permission.PLANNING_VIEW)
RULES = operation(Permission.PLANNING_RULES)


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


@api.get("", summary="List channels with what goes on in each", **VIEW)
def list_channels(channels: ChannelsService) -> list[ChannelShown]:
    traffic = channels.traffic()
    return [shown(one, traffic[one.id]) for one in channels.all()]


@api.post("", status_code=201, summary="Create a channel", **RULES)
def create_channel(visitor: Visitor, given: ChannelGiven, channels: ChannelsService) -> ChannelShown:
    made = channels.create(visitor.actor, given.new())
    return shown(made, channels.traffic()[made.id])


@api.get("/{number}", summary="Read a channel", **VIEW)
def read_channel(number: Number, channels: ChannelsService) -> ChannelShown:
    return shown(channels.get(number), channels.traffic()[number])


@api.put("/{number}", summary="Replace a channel", **RULES)
def replace_channel(
    number: Number, visitor: Visitor, given: ChannelGiven, channels: ChannelsService
) -> ChannelShown:
    changed = channels.change(visitor.actor, number, given.new())
    return shown(changed, channels.traffic()[number])
