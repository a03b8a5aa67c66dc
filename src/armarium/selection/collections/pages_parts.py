"""The pages of a collection's themes and members."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.selection.collections import form as forms
from armarium.selection.collections.model import Collection
from armarium.selection.collections.pages import ADDRESS, RULES, CollectionsService, frame
from armarium.selection.collections.service import Collections
from armarium.web.forms import Form, filled
from armarium.web.guard import Visitor
from armarium.web.paging import Number
from armarium.web.posted import PostedForm
from armarium.web.shell import PageShell, Shell, done

pages = APIRouter(prefix=ADDRESS)

SUGGESTED = 1000  # accounts and groups in the lists from which browsers suggest


@pages.get("/{number}/themes", dependencies=RULES)
def themes_page(
    request: Request, number: Number, page: PageShell, collections: CollectionsService
) -> Response:
    known = collections.get(number)
    return show_themes(request, page, collections, known, filled(**forms.typed_themes(known)))


@pages.post("/{number}/themes", dependencies=RULES)
def change_themes(
    request: Request,
    number: Number,
    visitor: Visitor,
    form: PostedForm,
    page: PageShell,
    collections: CollectionsService,
) -> Response:
    known = collections.get(number)
    try:
        themes, usual = forms.themes_of(form, known)
        collections.change(
            visitor.actor, number, known, themes=themes, default_theme=usual, seen=forms.seen(form)
        )
    except Refused as refusal:
        return show_themes(request, page, collections, known, form.refuse(refusal), status=422)
    text = message("The themes of the collection %(name)s are saved.", name=known.name)
    return done(request, f"{ADDRESS}/{number}/themes", text)


def show_themes(
    request: Request,
    page: Shell,
    collections: Collections,
    known: Collection,
    form: Form,
    *,
    status: int = 200,
) -> Response:
    return page.page(
        request,
        "selection/collections_themes.html",
        status=status,
        **frame(known, True, "themes"),
        form=form,
        by_theme=collections.figures_of(known.id)[1],
    )


@pages.get("/{number}/members", dependencies=RULES)
def members_page(
    request: Request, number: Number, page: PageShell, collections: CollectionsService
) -> Response:
    return show_members(request, page, collections, collections.get(number), filled())


@pages.post("/{number}/members", dependencies=RULES)
def change_members(
    request: Request,
    number: Number,
    visitor: Visitor,
    form: PostedForm,
    page: PageShell,
    collections: CollectionsService,
) -> Response:
    known = collections.get(number)
    try:
        collections.change_members(visitor.actor, number, forms.members_of(form))
    except Refused as refusal:
        refused = form.refuse(refusal, several=("account", "group", "remove", "remove_group"))
        return show_members(request, page, collections, known, refused, status=422)
    text = message("The members of the collection %(name)s are saved.", name=known.name)
    return done(request, f"{ADDRESS}/{number}/members", text)


def show_members(
    request: Request,
    page: Shell,
    collections: Collections,
    known: Collection,
    form: Form,
    *,
    status: int = 200,
) -> Response:
    return page.page(
        request,
        "selection/collections_members.html",
        status=status,
        **frame(known, True, "members"),
        form=form,
        members=collections.members(known.id),
        groups=collections.member_groups(known.id),
        people=collections.possible_members(SUGGESTED),
        known_groups=collections.known_groups(SUGGESTED),
    )
