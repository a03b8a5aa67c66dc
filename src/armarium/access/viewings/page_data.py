"""What the pages of viewings have in common: who asks with what, and viewings as templates read them."""

from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import Depends
from starlette.datastructures import QueryParams

from armarium.access.viewings.handover import Handover
from armarium.access.viewings.missing_notes import topic_of
from armarium.access.viewings.model import (
    KINDS,
    Missing,
    MissingFilter,
    MissingKind,
    Person,
    Standing,
    Viewing,
)
from armarium.access.viewings.service import Viewings
from armarium.accounts.model import Permission
from armarium.core.message import Message, message
from armarium.web.pages import Page, PageRequest, guarded
from armarium.web.services import service

ADDRESS = "/access/viewings"
LONGEST_FILTER = 300

USE = guarded(Permission.VIEWER_USE)
ViewingsService = Annotated[Viewings, Depends(service(Viewings))]
HandoverService = Annotated[Handover, Depends(service(Handover))]

TABS: dict[str, Message] = {
    "": message("Missing addresses"),
    "/jobs": message("Jobs and files"),
    "/edit": message("Settings"),
}


@dataclass(frozen=True)
class ViewingsRequest(PageRequest):
    viewings: Viewings
    handover: Handover

    @property
    def who(self) -> Person:
        return Person.of(self.visitor)

    @property
    def sought(self) -> MissingFilter:
        return sought_by(self.request.query_params)

    def viewing(self, number: int) -> Viewing:
        return self.viewings.get(self.who, number)

    def frame(self, viewing: Viewing, current: str) -> dict[str, Any]:
        """What every page about a viewing has: its heading, its tabs, what may be done."""
        counts = {"": viewing.open, "/jobs": len(viewing.jobs)}
        return {
            "viewing": shown(viewing),
            "topic": topic_of(viewing.id),
            "mine": viewing.account == self.visitor.account.id,
            "tabs": [
                {
                    "label": title,
                    "href": f"{ADDRESS}/{viewing.id}{path}",
                    "count": counts.get(path),
                    "current": path == current,
                }
                for path, title in TABS.items()
            ],
        }


async def viewings_request(
    page: Page, viewings: ViewingsService, handover: HandoverService
) -> ViewingsRequest:
    return ViewingsRequest(page.request, page.visitor, page.shell, viewings, handover)


ViewingsPage = Annotated[ViewingsRequest, Depends(viewings_request)]


def browse(viewing: Viewing, url: str = "") -> str:
    """Where the viewing, or an address in it, is seen: on the readers' site, without a second sign-in."""
    return f"/access/go?to={quote(f'/{viewing.name}/{url}', safe='')}"


def shown(viewing: Viewing) -> dict[str, Any]:
    tone, state = state_of(viewing)
    return {
        **vars(viewing),
        "name": viewing.name,
        "href": f"{ADDRESS}/{viewing.id}",
        "browse": browse(viewing),
        "ended": viewing.ended_at is not None,
        "tone": tone,
        "state": state,
    }


def state_of(viewing: Viewing) -> tuple[str, Message]:
    if viewing.ended_at is not None:
        return "neutral", message("Ended")
    if viewing.recording:
        return "busy", message("Recording")
    return "waiting", message("Not recording")


def shown_missing(one: Missing, viewing: Viewing) -> dict[str, Any]:
    return {
        **vars(one),
        "kind": KINDS[one.kind],
        "browse": browse(viewing, one.url),
        "from_page": browse(viewing, one.referrer) if one.referrer else "",
    }


def sought_by(given: QueryParams) -> MissingFilter:
    """What cannot be meant is passed over: the fields show what was typed."""
    kind, standing = given.get("kind", ""), given.get("standing", "")
    return MissingFilter(
        standing=Standing(standing) if standing in set(Standing) else Standing.OPEN,
        domain=_text(given, "domain").lower(),
        kind=MissingKind(kind) if kind in set(MissingKind) else None,
        referrer=_text(given, "referrer"),
        text=_text(given, "q"),
    )


def _text(given: QueryParams, name: str) -> str:
    return given.get(name, "").strip()[:LONGEST_FILTER]


def query_of(sought: MissingFilter) -> str:
    """The filter as part of an address."""
    values = {
        "standing": sought.standing.value,
        "domain": sought.domain,
        "kind": sought.kind.value if sought.kind else "",
        "referrer": sought.referrer,
        "q": sought.text,
    }
    return urlencode({name: value for name, value in values.items() if value})
