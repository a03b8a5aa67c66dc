"""The pages of channels."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.planning.history import history_of
from armarium.planning.jobs.channels import Channels, mark_of
from armarium.planning.jobs.channels_queries import Channel
from armarium.planning.model import HarvestKind
from armarium.web.forms import Form, filled
from armarium.web.guard import Visitor, needs
from armarium.web.paging import Number
from armarium.web.posted import PostedForm
from armarium.web.services import service
from armarium.web.shell import PageShell, done

ADDRESS = "/harvesting/channels"
pages = APIRouter(prefix=ADDRESS)

ChannelsService = Annotated[Channels, Depends(service(Channels))]

VIEW = [Depends(needs(Permission.PLANNING_VIEW))]
RULES = [Depends(needs(Permission.PLANNING_RULES))]

KINDS: dict[HarvestKind, tuple[Message, Message]] = {
    HarvestKind.SELECTIVE: (message("Selective harvests"), message("Chosen domains, by a schedule.")),
    HarvestKind.EVENT: (message("Event harvests"), message("Seeds pasted for something that happens now.")),
    HarvestKind.BROAD: (message("Broad harvests"), message("Every active domain.")),
}


@pages.get("", dependencies=VIEW)
def channels_page(request: Request, visitor: Visitor, page: PageShell, channels: ChannelsService) -> Response:
    """All of them on one page: a channel is a kind of machine, and there are but a few."""
    if "x-part" in request.headers:
        return page.part(request, "planning/channels_table.html", **listed(visitor, channels))
    return page.page(request, "planning/channels_list.html", **listed(visitor, channels))


def listed(visitor: Visitor, channels: Channels) -> dict[str, Any]:
    return {
        "channels": channels.all(),
        "traffic": channels.traffic(),
        "kinds": {kind.value: titles[0] for kind, titles in KINDS.items()},
        "may_change": visitor.may(Permission.PLANNING_RULES),
    }


@pages.get("/new", dependencies=RULES)
def new_channel_page(request: Request, visitor: Visitor, page: PageShell) -> Response:
    return show_channel(request, page, visitor, form=filled(priority=0, active="yes", default_for=[]))


@pages.post("/new", dependencies=RULES)
def create_channel(
    request: Request, visitor: Visitor, form: PostedForm, page: PageShell, channels: ChannelsService
) -> Response:
    try:
        made = channels.create(
            visitor.actor,
            form.get("name"),
            description=form.get("description"),
            priority=priority_of(form),
            default_for=form.chosen("default_for"),
        )
    except Refused as refusal:
        refused = form.refuse(refusal, several=["default_for"])
        return show_channel(request, page, visitor, form=refused, status=422)
    return done(request, ADDRESS, message("The channel %(name)s is made.", name=made.name))


@pages.get("/{number}", dependencies=VIEW)
def channel_page(
    request: Request, number: Number, visitor: Visitor, page: PageShell, channels: ChannelsService
) -> Response:
    return show_channel(request, page, visitor, channels.get(number), channels=channels)


@pages.post("/{number}", dependencies=RULES)
def change_channel(
    request: Request,
    number: Number,
    visitor: Visitor,
    form: PostedForm,
    page: PageShell,
    channels: ChannelsService,
) -> Response:
    known = channels.get(number)
    try:
        changed = channels.change(
            visitor.actor,
            number,
            name=form.get("name"),
            description=form.get("description"),
            priority=priority_of(form),
            default_for=form.chosen("default_for"),
            active=form.ticked("active"),
            seen=form.get("seen"),
        )
    except Refused as refusal:
        refused = form.refuse(refusal, several=["default_for"])
        return show_channel(request, page, visitor, known, form=refused, channels=channels, status=422)
    return done(request, ADDRESS, message("The channel %(name)s is saved.", name=changed.name))


def priority_of(form: Form) -> int:
    text = form.get("priority").strip() or "0"
    if not text.isascii() or not text.removeprefix("-").isdigit() or len(text) > 9:
        raise Refused(message("This must be a whole number."), field="priority")
    return int(text)


def show_channel(
    request: Request,
    page: PageShell,
    visitor: Visitor,
    channel: Channel | None = None,
    *,
    form: Form | None = None,
    channels: Channels | None = None,
    status: int = 200,
) -> Response:
    context: dict[str, Any] = {
        "channel": channel,
        "form": form or form_of(channel),
        "traffic": channels.traffic().get(channel.id) if channels and channel else None,
        "kind_options": [(kind.value, title, about) for kind, (title, about) in KINDS.items()],
        "history": history_of(request, page, "channel", channel.id) if channel else [],
        "may_change": visitor.may(Permission.PLANNING_RULES),
        "address": f"{ADDRESS}/{channel.id}" if channel else f"{ADDRESS}/new",
    }
    return page.page(request, "planning/channels_show.html", status=status, **context)


def form_of(channel: Channel | None) -> Form:
    if channel is None:
        return filled()
    return filled(
        name=channel.name,
        description=channel.description,
        priority=channel.priority,
        default_for=list(channel.kinds),
        active="yes" if channel.active else None,
        seen=mark_of(channel),
    )
