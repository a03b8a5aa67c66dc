"""What a page is given: who asks, with which request, and how it answers."""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Identity, Permission
from armarium.core.actor import Actor
from armarium.core.message import Message
from armarium.web.forms import Form
from armarium.web.guard import Visitor, needs
from armarium.web.paging import Paging
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

    def paging(self, number: int, total: int) -> Paging:
        return Paging(self.request, number, total)

    def show(
        self, template: str, form: Form | None = None, *, refused: bool = False, **context: Any
    ) -> Response:
        """A page; with a form that was refused, this or another one of the page, status 422."""
        known = {} if form is None else {"form": form}
        status = 422 if refused or (form is not None and form.errors) else 200
        return self.shell.page(self.request, template, status=status, **known, **context)

    @property
    def is_part(self) -> bool:
        """Whether a live part of the page is fetched again, and not the whole."""
        return "x-part" in self.request.headers

    def live(self, template: str, part: str, form: Form | None = None, **context: Any) -> Response:
        """A page of which a part, in a template of its own, is fetched again while somebody looks at it."""
        if not self.is_part:
            return self.show(template, form, **context)
        return self.part(part, **({} if form is None else {"form": form}), **context)

    def part(self, template: str, **context: Any) -> Response:
        return self.shell.part(self.request, template, **context)

    def done(self, address: str, text: Message) -> Response:
        """After a change: back to a page by address, with a notice."""
        return done(self.request, address, text)


async def page_request(request: Request, visitor: Visitor, shell: PageShell) -> PageRequest:
    return PageRequest(request, visitor, shell)


#: FastAPI dependency of pages for those who are signed in.
Page = Annotated[PageRequest, Depends(page_request)]


def guarded(permission: Permission) -> list[Any]:
    """`dependencies` of a page: the guard that asks for this permission."""
    return [Depends(needs(permission))]
