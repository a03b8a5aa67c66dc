"""Sections of the site: each room declares its own, the shell shows those that the visitor may see."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fastapi import APIRouter

from armarium.accounts.model import Identity, Permission
from armarium.core.message import Message


@dataclass(frozen=True)
class Entry:
    """One line of the navigation."""

    title: Message
    href: str
    permission: Permission | None  # None: everybody who is signed in
    help: Message  # a sentence for the overview


@dataclass(frozen=True)
class Section:
    """What a room puts on the site: a heading with entries, its pages, its part of the API."""

    title: Message
    order: int  # the walk of the data: selection first, administration last
    entries: Sequence[Entry]
    pages: APIRouter
    api: APIRouter | None = None
    actions: Mapping[str, Message] = field(default_factory=dict)  # what its entries in the audit log say
    words: Mapping[str, Message] = field(default_factory=dict)  # its things and their values in that log
    bodies: Mapping[str, int] = field(default_factory=dict)  # paths below which requests may be so many bytes
    for_readers: str = ""  # where accounts come first that may do nothing on this site


def joined(*routers: APIRouter) -> APIRouter:
    """The routers of a room's parts as one."""
    whole = APIRouter()
    for router in routers:
        whole.include_router(router)
    return whole


def navigation(sections: Iterable[Section], identity: Identity, path: str) -> list[dict[str, Any]]:
    """The sections and entries that this visitor may see, the one of the present page marked."""
    shown = []
    for section in sorted(sections, key=lambda section: section.order):
        allowed = [e for e in section.entries if e.permission is None or identity.may(e.permission)]
        current = max((e.href for e in allowed if _lies_under(path, e.href)), key=len, default=None)
        items = [_shown(entry, entry.href == current) for entry in allowed]
        if items:
            shown.append({"label": section.title, "items": items})
    return shown


def _shown(entry: Entry, current: bool) -> dict[str, Any]:
    return {"label": entry.title, "href": entry.href, "current": current, "count": None, "help": entry.help}


def _lies_under(path: str, href: str) -> bool:
    return path == href or path.startswith(href.rstrip("/") + "/")
