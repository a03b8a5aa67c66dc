"""The pages of saved searches."""

from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.selection.collections.api import CollectionsService
from armarium.selection.collections.service import Collections
from armarium.selection.permissions import editor_of
from armarium.selection.search.api import SearchesService
from armarium.selection.search.labels import in_words, names_of
from armarium.selection.search.model import Question, Saved, Shared, Sharing
from armarium.selection.search.pages import ADDRESS as RECORDS
from armarium.selection.search.service import Searches
from armarium.web.forms import Form, filled
from armarium.web.pages import Page, PageRequest, guarded
from armarium.web.paging import Number, number_in
from armarium.web.posted import PostedForm
from armarium.web.routes import Router

ADDRESS = "/selection/searches"
pages = Router(prefix=ADDRESS)


VIEW = guarded(Permission.SELECTION_VIEW)
SHARED = {
    Shared.NOBODY: message("Only me"),
    Shared.EVERYBODY: message("Everybody"),
    Shared.COLLECTION: message("The members of a collection"),
}


def sharing_of(form: Form) -> Sharing:
    chosen = form.get("shared") or Shared.NOBODY.value
    if chosen not in set(Shared):
        raise Refused(message("Choose who may use this search."), field="shared")
    return Sharing(Shared(chosen), number_in(form.get("collection")))


@pages.get("", dependencies=VIEW)
def searches_page(page: Page, searches: SearchesService, collections: CollectionsService) -> Response:
    return show_list(page, searches, collections)


@pages.post("", dependencies=VIEW)
def save_search(
    page: Page, form: PostedForm, searches: SearchesService, collections: CollectionsService
) -> Response:
    try:
        question = Question.parse(form.get("query"))
        made = searches.save(editor_of(page.visitor), form.get("name"), question, sharing_of(form))
    except Refused as refusal:
        return show_list(page, searches, collections, form.refuse(refusal))
    text = message("The search %(name)s is saved.", name=made.name)
    return page.done(f"{RECORDS}?{made.query}", text)


@pages.get("/{number}", dependencies=VIEW)
def search_page(
    page: Page, number: Number, searches: SearchesService, collections: CollectionsService
) -> Response:
    found = searches.get(editor_of(page.visitor), number)
    return show_one(page, found, collections, form_of(found))


@pages.post("/{number}", dependencies=VIEW)
def change_search(
    page: Page, number: Number, form: PostedForm, searches: SearchesService, collections: CollectionsService
) -> Response:
    editor = editor_of(page.visitor)
    try:
        made = searches.change(editor, number, name=form.get("name"), sharing=sharing_of(form))
    except Refused as refusal:
        found = searches.get(editor, number)
        return show_one(page, found, collections, form.refuse(refusal))
    return page.done(ADDRESS, message("The search %(name)s is saved.", name=made.name))


@pages.post("/{number}/hand-over", dependencies=VIEW)
def hand_over_search(
    page: Page, number: Number, form: PostedForm, searches: SearchesService, collections: CollectionsService
) -> Response:
    editor = editor_of(page.visitor)
    try:
        made = searches.hand_over(editor, number, form.get("to"))
    except Refused as refusal:
        found = searches.get(editor, number)
        return show_one(page, found, collections, form_of(found), to=form.refuse(refusal))
    text = message("The search %(name)s now belongs to %(owner)s.", name=made.name, owner=made.owner_name)
    return page.done(ADDRESS, text)


@pages.post("/{number}/copy", dependencies=VIEW)
def copy_search(page: Page, number: Number, searches: SearchesService) -> Response:
    made = searches.copy(editor_of(page.visitor), number)
    text = message("The search %(name)s is copied: this one is yours.", name=made.name)
    return page.done(f"{ADDRESS}/{made.id}", text)


@pages.post("/{number}/delete", dependencies=VIEW)
def delete_search(page: Page, number: Number, searches: SearchesService) -> Response:
    gone = searches.delete(editor_of(page.visitor), number)
    return page.done(ADDRESS, message("The search %(name)s is deleted.", name=gone.name))


def form_of(saved: Saved) -> Form:
    return filled(name=saved.name, shared=saved.shared.value, collection=saved.collection or "")


def show_list(
    page: PageRequest, searches: Searches, collections: Collections, form: Form | None = None
) -> Response:
    """`form`: a search that was not saved, with what was wrong."""
    known = collections.all()
    names = names_of(known)
    rows = [
        {
            "search": one,
            "words": in_words(Question.parse(one.query), names),
            "own": one.owner == page.visitor.account.id,
        }
        for one in searches.visible(editor_of(page.visitor))
    ]
    return page.show(
        "selection/searches_list.html",
        rows=rows,
        form=form,
        shared=SHARED,
        collections=known,
    )


def show_one(
    page: PageRequest, found: Saved, collections: Collections, form: Form, *, to: Form | None = None
) -> Response:
    known = collections.all()
    return page.show(
        "selection/searches_show.html",
        search=found,
        words=in_words(Question.parse(found.query), names_of(known)),
        own=found.owner == page.visitor.account.id,
        form=form,
        to_form=to or Form(id="hand-over"),
        shared=SHARED,
        collections=known,
    )
