"""The pages of the matrix: what goes together, and a review before it is changed."""

from collections.abc import Mapping

from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.selection.collections import forms
from armarium.selection.collections.api import CollectionsService
from armarium.selection.collections.model import PARTS, Matrix, in_words
from armarium.selection.collections.pages import RULES, VIEW
from armarium.selection.collections.service import Collections
from armarium.selection.model import VALUES, Combination
from armarium.web.forms import Form, filled
from armarium.web.history import history_of
from armarium.web.pages import Page, PageRequest
from armarium.web.posted import PostedForm
from armarium.web.routes import Router

ADDRESS = "/selection/matrix"
pages = Router(prefix=ADDRESS)


@pages.get("", dependencies=VIEW)
def matrix_page(page: Page, collections: CollectionsService) -> Response:
    return show_matrix(page, collections)


@pages.post("", dependencies=RULES)
def review_matrix(page: Page, form: PostedForm, collections: CollectionsService) -> Response:
    """Nothing is changed yet."""
    known = collections.matrix()
    try:
        refused = forms.matrix_of(form, known)
    except Refused as refusal:
        again = form.refuse(refusal, several=("may",))
        return show_matrix(page, collections, form=again)
    if refused == known.refused:
        return page.done(ADDRESS, message("Nothing was changed: the matrix is as it was."), "info")
    return show_review(page, collections, known, refused, filled())


@pages.post("/save", dependencies=RULES)
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
    return page.done(ADDRESS, message("The matrix is saved. Records keep the combination that they have."))


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
