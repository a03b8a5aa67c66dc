"""The pages of collections."""

from typing import Annotated, Any

from fastapi import Depends
from starlette.requests import HTTPConnection
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.index.chain.model import Choice, Collection
from armarium.index.collections.service import CollectionEditing, Figures, is_imported, is_ours, numbers_in
from armarium.web.forms import Form, filled
from armarium.web.pages import Page, PageRequest, guarded
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, number_in, offset_of
from armarium.web.posted import PostedForm
from armarium.web.routes import Router

ADDRESS = "/index/collections"
pages = Router(prefix=ADDRESS)

VIEW = guarded(Permission.INDEX_VIEW)
MANAGE = guarded(Permission.INDEX_MANAGE)


def editing_of(connection: HTTPConnection) -> CollectionEditing:
    return CollectionEditing.of(connection.app.state.services)


EditingService = Annotated[CollectionEditing, Depends(editing_of)]


@pages.get("", dependencies=VIEW)
def collections_page(page: Page, editing: EditingService, number: PageNumber = 1) -> Response:
    found, total = editing.page(limit=PAGE_SIZE, offset=offset_of(number))
    figures = editing.figures(found)
    return page.live(
        "index/collections_list.html",
        "index/collections_table.html",
        collections=[shown(one, figures[one.id]) for one in found],
        total=total,
        page=page.paging(number, total),
        may_change=page.may(Permission.INDEX_MANAGE),
    )


def shown(collection: Collection, figures: Figures) -> dict[str, Any]:
    tone, state = state_of(collection)
    return {
        "collection": collection,
        "id": collection.id,
        "name": collection.name,
        "title": collection.title or (message("Everything") if collection.everything else ""),
        "tone": tone,
        "state": state,
        "figures": figures,
        "imported": is_imported(collection.name),
        "ours": is_ours(collection),
    }


def state_of(collection: Collection) -> tuple[str, Message]:
    if is_imported(collection.name):
        return "neutral", message("Imported")
    return ("good", message("Active")) if collection.active else ("neutral", message("Inactive"))


@pages.get("/new", dependencies=MANAGE)
def new_collection_page(page: Page, editing: EditingService) -> Response:
    return show_new(page, editing, Form())


@pages.post("/new", dependencies=MANAGE)
def add_collection(page: Page, form: PostedForm, editing: EditingService) -> Response:
    try:
        added = editing.add(page.actor, form.get("name").strip(), choice_in(form))
    except Refused as refusal:
        return show_new(page, editing, form.refuse(refusal))
    text = message("%(name)s was created and is being filled.", name=added.name)
    return page.done(f"{ADDRESS}/{added.id}", text)


def choice_in(form: Form, active: bool = True) -> Choice:
    harvests, accessions = (numbers_in(form.get(name), name) for name in ("harvests", "accessions"))
    return Choice(form.get("title").strip(), harvests, accessions, active)


def show_new(page: PageRequest, editing: CollectionEditing, form: Form) -> Response:
    return page.show(
        "index/collections_new.html",
        form=form,
        origins=editing.origins(),
    )


@pages.get("/{number}", dependencies=VIEW)
def collection_page(page: Page, number: Number, editing: EditingService) -> Response:
    return show_collection(page, editing, editing.get(number))


@pages.get("/{number}/edit", dependencies=MANAGE)
def edit_page(page: Page, number: Number, editing: EditingService) -> Response:
    known = editing.get(number)
    return show_edit(page, editing, known, form_of(known))


@pages.post("/{number}", dependencies=MANAGE)
def change_collection(page: Page, number: Number, form: PostedForm, editing: EditingService) -> Response:
    try:
        choice = choice_in(form, editing.get(number).active)
        changed = editing.change(page.actor, number, choice, number_in(form.get("seen")) or 0)
    except Refused as refusal:
        return show_edit(page, editing, editing.get(number), form.refuse(refusal))
    text = message("%(name)s was saved.", name=changed.name)
    return page.done(f"{ADDRESS}/{number}", text)


@pages.post("/{number}/stop", dependencies=MANAGE)
def stop_collection(page: Page, number: Number, editing: EditingService) -> Response:
    changed = editing.set_active(page.actor, number, False)
    text = message("%(name)s was deactivated.", name=changed.name)
    return page.done(f"{ADDRESS}/{number}", text)


@pages.post("/{number}/start", dependencies=MANAGE)
def start_collection(page: Page, number: Number, editing: EditingService) -> Response:
    changed = editing.set_active(page.actor, number, True)
    text = message("%(name)s was activated and is being filled.", name=changed.name)
    return page.done(f"{ADDRESS}/{number}", text)


def show_collection(page: PageRequest, editing: CollectionEditing, collection: Collection) -> Response:
    made_at, made_by = editing.made(collection.id)
    return page.live(
        "index/collections_show.html",
        "index/collections_state.html",
        one=shown(collection, editing.figures([collection])[collection.id]),
        made_at=made_at,
        made_by=made_by,
        may_change=page.may(Permission.INDEX_MANAGE) and is_ours(collection),
    )


def show_edit(page: PageRequest, editing: CollectionEditing, collection: Collection, form: Form) -> Response:
    known = shown(collection, editing.figures([collection])[collection.id])
    return page.show("index/collections_edit.html", form=form, one=known)


def form_of(collection: Collection) -> Form:
    return filled(
        title=collection.title,
        harvests=", ".join(map(str, collection.harvests)),
        accessions=", ".join(map(str, collection.accessions)),
        seen=collection.edition,
    )
