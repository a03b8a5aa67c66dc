"""The pages of collections, their themes and members; and of the matrix: what goes together, and a review
before it is changed."""

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.languages.speech import say
from armarium.selection.collections import forms
from armarium.selection.collections.api import CollectionsService
from armarium.selection.collections.model import PARTS, Choices, Collection, Matrix, in_words
from armarium.selection.collections.queries import NOTHING
from armarium.selection.collections.rules import check_combination
from armarium.selection.collections.service import Collections
from armarium.selection.model import VALUES, Combination
from armarium.selection.permissions import editor_of
from armarium.web.forms import Form, filled
from armarium.web.history import history_of
from armarium.web.pages import Page, PageRequest, guarded
from armarium.web.paging import Number
from armarium.web.posted import PostedForm
from armarium.web.routes import Router

ADDRESS = "/selection/collections"
pages = Router(prefix=ADDRESS)


VIEW = guarded(Permission.SELECTION_VIEW)
RULES = guarded(Permission.SELECTION_RULES)


@pages.get("", dependencies=VIEW)
def collections_page(page: Page, collections: CollectionsService) -> Response:
    found = collections.all()
    figures = collections.figures()
    own = collections.own(editor_of(page.visitor))
    return page.show(
        "selection/collections_list.html",
        rows=[
            {"collection": one, "figures": figures.get(one.id, NOTHING), "own": one.id in own}
            for one in sorted(found, key=lambda one: not one.active)
        ],
        may_change=page.may(Permission.SELECTION_RULES),
    )


@pages.get("/new", dependencies=RULES)
def new_collection_page(page: Page) -> Response:
    return show_form(page, form=filled(**forms.typed(Choices(""))))


@pages.post("/new", dependencies=RULES)
def create_collection(page: Page, form: PostedForm, collections: CollectionsService) -> Response:
    try:
        themes = forms.lines(form.get("themes"))
        made = collections.create(
            page.actor, forms.choices_of(form), themes=themes, default_theme=form.get("default_theme")
        )
    except Refused as refusal:
        return show_form(page, form=form.refuse(refusal, several=forms.SEVERAL))
    text = message(
        "The collection %(name)s is created. Now choose its members: only they can add records to it.",
        name=made.name,
    )
    return page.done(f"{ADDRESS}/{made.id}/members", text)


def tried(collection: Collection, collections: Collections, asked: Combination | None) -> tuple[Form, str]:
    """The form in which people try what may be chosen, and the answer."""
    shown = asked or collection.usual
    form = filled(budget=shown.budget, frequency=shown.frequency, depth=shown.depth)
    if asked is None:
        return form, ""
    try:
        check_combination(collection, collections.matrix(), asked)
    except Refused as refusal:
        return form.refuse(refusal), ""
    return form, say(message("%(combination)s is allowed here.", combination=in_words(asked)))


@pages.get("/{number}/edit", dependencies=RULES)
def edit_page(page: Page, number: Number, collections: CollectionsService) -> Response:
    known = collections.get(number)
    return show_form(page, known, form=filled(**forms.typed(known)))


@pages.post("/{number}/edit", dependencies=RULES)
def change_collection(
    page: Page, number: Number, form: PostedForm, collections: CollectionsService
) -> Response:
    known = collections.get(number)
    try:
        made = collections.change(page.actor, number, forms.choices_of(form), seen=forms.seen(form))
    except Refused as refusal:
        return show_form(page, known, form=form.refuse(refusal, several=forms.SEVERAL))
    return page.done(f"{ADDRESS}/{number}", message("The collection %(name)s is saved.", name=made.name))


def show_form(page: PageRequest, collection: Collection | None = None, *, form: Form) -> Response:
    return page.show(
        "selection/collections_form.html",
        **frame(collection, True, "edit"),
        form=form,
        parts_offered=[
            ("budgets", "default_budget", PARTS["budget"]),
            ("frequencies", "default_frequency", PARTS["frequency"]),
            ("depths", "default_depth", PARTS["depth"]),
        ],
    )


def frame(collection: Collection | None, may_change: bool, current: str) -> dict[str, Any]:
    """What the pages of one collection share."""
    return {"collection": collection, "may_change": may_change, "current": current}


SUGGESTED = 1000  # accounts and groups in the lists from which browsers suggest


@pages.get("/{number}/themes", dependencies=RULES)
def themes_page(page: Page, number: Number, collections: CollectionsService) -> Response:
    known = collections.get(number)
    return show_themes(page, collections, known, filled(**forms.typed_themes(known)))


@pages.post("/{number}/themes", dependencies=RULES)
def change_themes(page: Page, number: Number, form: PostedForm, collections: CollectionsService) -> Response:
    known = collections.get(number)
    try:
        themes, usual = forms.themes_of(form, known)
        collections.change(
            page.actor, number, known, themes=themes, default_theme=usual, seen=forms.seen(form)
        )
    except Refused as refusal:
        return show_themes(page, collections, known, form.refuse(refusal))
    text = message("The themes of the collection %(name)s are saved.", name=known.name)
    return page.done(f"{ADDRESS}/{number}/themes", text)


def show_themes(page: PageRequest, collections: Collections, known: Collection, form: Form) -> Response:
    return page.show(
        "selection/collections_themes.html",
        **frame(known, True, "themes"),
        form=form,
        by_theme=collections.figures_of(known.id)[1],
    )


@pages.get("/{number}/members", dependencies=RULES)
def members_page(page: Page, number: Number, collections: CollectionsService) -> Response:
    return show_members(page, collections, collections.get(number), filled())


@pages.post("/{number}/members", dependencies=RULES)
def change_members(page: Page, number: Number, form: PostedForm, collections: CollectionsService) -> Response:
    known = collections.get(number)
    try:
        collections.change_members(page.actor, number, forms.members_of(form))
    except Refused as refusal:
        refused = form.refuse(refusal, several=("account", "group", "remove", "remove_group"))
        return show_members(page, collections, known, refused)
    text = message("The members of the collection %(name)s are saved.", name=known.name)
    return page.done(f"{ADDRESS}/{number}/members", text)


def show_members(page: PageRequest, collections: Collections, known: Collection, form: Form) -> Response:
    return page.show(
        "selection/collections_members.html",
        **frame(known, True, "members"),
        form=form,
        members=collections.members(known.id),
        groups=collections.member_groups(known.id),
        people=collections.possible_members(SUGGESTED),
        known_groups=collections.known_groups(SUGGESTED),
    )


MATRIX = "/selection/matrix"
matrix_pages = Router(prefix=MATRIX)


@matrix_pages.get("", dependencies=VIEW)
def matrix_page(page: Page, collections: CollectionsService) -> Response:
    return show_matrix(page, collections)


@matrix_pages.post("", dependencies=RULES)
def review_matrix(page: Page, form: PostedForm, collections: CollectionsService) -> Response:
    """Nothing is changed yet."""
    known = collections.matrix()
    try:
        refused = forms.matrix_of(form, known)
    except Refused as refusal:
        again = form.refuse(refusal, several=("may",))
        return show_matrix(page, collections, form=again)
    if refused == known.refused:
        return page.done(MATRIX, message("Nothing was changed."), "info")
    return show_review(page, collections, known, refused, filled())


@matrix_pages.post("/save", dependencies=RULES)
def save_matrix(page: Page, form: PostedForm, collections: CollectionsService) -> Response:
    known = collections.matrix()
    try:
        refused = forms.reviewed(form, known)
    except Refused as refusal:
        return show_matrix(page, collections, form=form.refuse(refusal))
    try:
        collections.set_matrix(page.actor, refused, seen=known.mark)
    except Refused as refusal:
        return show_review(page, collections, known, refused, form.refuse(refusal))
    return page.done(
        MATRIX, message("The allowed combinations are saved. Records keep the combination they have.")
    )


def show_matrix(page: PageRequest, collections: Collections, *, form: Form | None = None) -> Response:
    known = collections.matrix()
    values = forms.typed_matrix(known)
    if form is not None and form.get("seen") != known.mark:  # what was typed speaks of another matrix
        form = Form(values=filled(**values).values, errors=form.errors)
    return page.show(
        "selection/matrix_show.html",
        matrix=known,
        tables=forms.tables(known, collections.records_by_combination()),
        words=PARTS,
        in_words=in_words,
        form=form or filled(**values),
        may_change=page.may(Permission.SELECTION_RULES),
        history=history_of(page.request, page.shell, "matrix", 1, words=VALUES),
    )


def show_review(
    page: PageRequest, collections: Collections, known: Matrix, refused: Mapping[Combination, str], form: Form
) -> Response:
    review = forms.review(known, refused, collections.records_by_combination(), collections.all())
    return page.show(
        "selection/matrix_review.html",
        review=review,
        seen=known.mark,
        form=form,
        in_words=in_words,
    )
