"""What a page is given: who asks, with which request, and how it answers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Protocol, TypeVar

from fastapi import Depends
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Identity, Permission
from armarium.core.actor import Actor
from armarium.core.errors import Refused
from armarium.core.message import Message
from armarium.web.forms import Form
from armarium.web.guard import Visitor, needs
from armarium.web.paging import Number, Paging
from armarium.web.posted import PostedForm
from armarium.web.routes import Router
from armarium.web.services import service
from armarium.web.shell import PageShell, Shell, done


@dataclass(frozen=True)
class PageRequest:
    request: Request
    visitor: Identity
    shell: Shell

    @property
    def actor(self) -> Actor:
        return self.visitor.actor

    def may(self, permission: Permission) -> bool:
        return self.visitor.may(permission)

    def is_editing(self, known: object) -> bool:
        """The form stands behind Edit; a new one, and one that was refused, is it from the start."""
        return known is None or self.request.method == "POST" or "edit" in self.request.query_params

    def paging(self, number: int, total: int) -> Paging:
        return Paging(self.request, number, total)

    def show(self, template: str, form: Form | None = None, **context: Any) -> Response:
        """A page; with a form that was refused, status 422."""
        known = {} if form is None else {"form": form}
        status = 422 if any(map(was_refused, (form, *context.values()))) else 200
        return self.shell.page(self.request, template, status=status, **known, **context)

    def live(self, template: str, part: str, form: Form | None = None, **context: Any) -> Response:
        """A page, or only the part of it that is fetched again when what it shows has changed."""
        if self.is_part:
            return self.part(part, **({} if form is None else {"form": form}), **context)
        return self.show(template, form, **context)

    @property
    def is_part(self) -> bool:
        """Whether a live part of the page is fetched again, and not the whole."""
        return "x-part" in self.request.headers

    def part(self, template: str, **context: Any) -> Response:
        return self.shell.part(self.request, template, **context)

    def done(self, address: str, text: Message, kind: str = "good") -> Response:
        """After a change: back to a page by address, with a notice."""
        return done(self.request, address, text, kind)

    def attempt(self, address: str, verb: Callable[[], Message]) -> Response:
        """Do what a button asks for: back to a page with what came of it, or with why it was refused."""
        try:
            return self.done(address, verb())
        except Refused as refusal:
            return self.done(address, refusal.message, "bad")


def was_refused(value: object) -> bool:
    """Whether this is a form that is shown again, or one of several is."""
    if isinstance(value, Mapping):
        return any(map(was_refused, value.values()))
    return isinstance(value, Form) and bool(value.errors)


async def page_request(request: Request, visitor: Visitor, shell: PageShell) -> PageRequest:
    return PageRequest(request, visitor, shell)


#: FastAPI dependency of pages for those who are signed in.
Page = Annotated[PageRequest, Depends(page_request)]


def guarded(permission: Permission) -> list[Any]:
    """`dependencies` of a page: the guard that asks for this permission."""
    return [Depends(needs(permission))]


# --- The four routes of every form: a new entity and a known one, each shown and saved.


class Finds(Protocol):
    def get(self, number: int, /) -> Any: ...


S = TypeVar("S", bound=Finds)
E = TypeVar("E")


def form_pages(
    pages: Router,
    kind: type[S],
    *,
    view: Permission,
    change: Permission,
    form_of: Callable[[E | None], Form],
    show: Callable[[PageRequest, S, E | None, Form], Response],
    save: Callable[[PageRequest, S, E | None, Form], Response],
) -> None:
    """`show` a form, or `save` what it says, of a known entity or (None) a new one.

    What `save` refuses is shown again as it was typed, with all that is wrong, and status 422.
    """

    @pages.get("/new", dependencies=guarded(change))
    def show_new(page: Page, entities: Annotated[S, Depends(service(kind))]) -> Response:
        return show(page, entities, None, form_of(None))

    @pages.post("/new", dependencies=guarded(change))
    def save_new(page: Page, form: PostedForm, entities: Annotated[S, Depends(service(kind))]) -> Response:
        return saved(page, entities, None, form)

    @pages.get("/{number}", dependencies=guarded(view))
    def show_known(number: Number, page: Page, entities: Annotated[S, Depends(service(kind))]) -> Response:
        known = entities.get(number)
        return show(page, entities, known, form_of(known))

    @pages.post("/{number}", dependencies=guarded(change))
    def save_known(
        number: Number, page: Page, form: PostedForm, entities: Annotated[S, Depends(service(kind))]
    ) -> Response:
        return saved(page, entities, entities.get(number), form)

    def saved(page: PageRequest, entities: S, known: E | None, form: Form) -> Response:
        try:
            return save(page, entities, known, form)
        except Refused as refusal:
            return show(page, entities, known, form.refuse(refusal))
