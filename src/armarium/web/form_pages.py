"""The four routes of every form: a new entity and a known one, each shown and saved."""

from collections.abc import Callable
from typing import Annotated, Any, Protocol, TypeVar

from fastapi import APIRouter, Depends
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.web.forms import Form
from armarium.web.pages import Page, PageRequest, guarded
from armarium.web.paging import Number
from armarium.web.posted import PostedForm
from armarium.web.services import service


class Finds(Protocol):
    def get(self, number: int, /) -> Any: ...


S = TypeVar("S", bound=Finds)
E = TypeVar("E")


def form_pages(
    pages: APIRouter,
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
