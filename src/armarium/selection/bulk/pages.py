"""The pages of bulk edits: choose what to change, look at what would become of it, do it, undo it."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core import clock
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.languages.speech import say
from armarium.selection.bulk import model
from armarium.selection.bulk.forms import Speaker, changes_of
from armarium.selection.bulk.model import RUNNING, Bulk, BulkState, Outcome, Verdict
from armarium.selection.bulk.service import BulkEdits
from armarium.selection.collections.service import Collections
from armarium.selection.model import BUDGETS, DEPTHS, FREQUENCIES, STATES, State
from armarium.selection.permissions import editor_of
from armarium.selection.records.forms import people
from armarium.selection.search import pages as search_showing
from armarium.selection.search.labels import in_words, typed
from armarium.selection.search.model import NOBODY, Question
from armarium.selection.search.service import Search
from armarium.web.forms import Form
from armarium.web.guard import Visitor, needs
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, Paging, offset_of
from armarium.web.posted import PostedForm
from armarium.web.services import AccountsService, service
from armarium.web.shell import PageShell, done

ADDRESS = "/selection/bulk"
pages = APIRouter(prefix=ADDRESS)

BulkService = Annotated[BulkEdits, Depends(service(BulkEdits))]
SearchService = Annotated[Search, Depends(service(Search))]
CollectionsService = Annotated[Collections, Depends(service(Collections))]

VIEW = [Depends(needs(Permission.SELECTION_VIEW))]
EDIT = [Depends(needs(Permission.SELECTION_EDIT))]
SAMPLE = 20
AS_IT_IS = message("stays as it is")
REFUSED_SHOWN = 5


@pages.get("", dependencies=VIEW)
def bulk_edits_page(
    request: Request,
    page: PageShell,
    bulk: BulkService,
    collections: CollectionsService,
    accounts: AccountsService,
    number: PageNumber = 1,
) -> Response:
    found, total = bulk.page(limit=PAGE_SIZE, offset=offset_of(number))
    speaker = Speaker(collections.all(), people(accounts))
    rows = [{"bulk": one, "chosen": speaker.chosen(one.changes)} for one in found]
    context: dict[str, Any] = {"rows": rows, "total": total, "page": Paging(request, number, total)}
    return page.page(request, "selection/bulk_list.html", states=model.STATES, tones=model.TONES, **context)


@pages.get("/new", dependencies=EDIT)
def choose_page(
    request: Request,
    visitor: Visitor,
    page: PageShell,
    search: SearchService,
    collections: CollectionsService,
    accounts: AccountsService,
) -> Response:
    """On the records that are ticked, or on all that a search finds."""
    asked = request.query_params
    if asked.get("which") == "all":
        question = Question.parse(asked.get("search", ""))
    else:
        question = Question.of({"number": asked.getlist("number")})
        if not question.narrows:
            back = f"{search_showing.ADDRESS}?{asked.get('search', '')}"
            text = message("No record is ticked. Tick some, or edit all that were found.")
            return done(request, back, text, "warning")
    return show_choice(request, visitor, page, search, collections, accounts, question, Form())


@pages.post("", dependencies=EDIT)
def preview(
    request: Request,
    visitor: Visitor,
    page: PageShell,
    form: PostedForm,
    bulk: BulkService,
    search: SearchService,
    collections: CollectionsService,
    accounts: AccountsService,
) -> Response:
    question = Question.parse(form.get("query"))
    try:
        made = bulk.preview(editor_of(visitor), question, changes_of(form, accounts))
    except Refused as refusal:
        form.refuse(refusal)
        return show_choice(request, visitor, page, search, collections, accounts, question, form, status=422)
    return done(
        request, f"{ADDRESS}/{made.id}", message("Nothing is changed yet: look at the preview."), "info"
    )


@pages.get("/{number}", dependencies=VIEW)
def bulk_page(
    request: Request,
    number: Number,
    visitor: Visitor,
    page: PageShell,
    bulk: BulkService,
    collections: CollectionsService,
    accounts: AccountsService,
) -> Response:
    found, known = bulk.get(number), collections.all()
    speaker = Speaker(known, people(accounts))
    verdict = Verdict.CHANGE
    rows = bulk.rows(number, verdict=verdict, limit=SAMPLE)
    groups = [
        {"label": model.REFUSAL_TITLES[one], "verdict": one.value, "count": count, "rows": first}
        for one, count, first in bulk.groups(number, sample=REFUSED_SHOWN)
    ]
    context: dict[str, Any] = {
        "bulk": found,
        "chosen": speaker.chosen(found.changes),
        "asked": in_words(Question.parse(found.query), search_showing.names_of(known)),
        "sample": [{"row": row, "changes": speaker.changes(row)} for row in rows],
        "groups": groups,
        "passed": bulk.rows(number, outcome=Outcome.PASSED_OVER, limit=SAMPLE),
        "kept": bulk.rows(number, outcome=Outcome.KEPT, limit=SAMPLE),
        "running": found.state in RUNNING,
        "state": model.STATES[found.state],
        "tone": model.TONES[found.state],
        "undoable": found.may_be_undone(clock.now()),
        "own": _own(visitor, found),
        "States": BulkState,
    }
    if request.headers.get("x-part"):
        return page.part(request, "selection/bulk_part.html", **context)
    return page.page(request, "selection/bulk_show.html", **context)


@pages.get("/{number}/refused/{verdict}", dependencies=VIEW)
def refused_page(
    request: Request,
    number: Number,
    verdict: Verdict,
    page: PageShell,
    bulk: BulkService,
    place: PageNumber = 1,
) -> Response:
    """All records of a preview that cannot be changed for one reason."""
    known = bulk.get(number)
    total = next((count for one, count, _ in bulk.groups(number, sample=1) if one is verdict), 0)
    rows = bulk.rows(number, verdict=verdict, limit=PAGE_SIZE, offset=offset_of(place))
    label = model.REFUSAL_TITLES.get(verdict, model.STATES[known.state])
    paging = Paging(request, place, total)
    return page.page(
        request, "selection/bulk_refused.html", bulk=known, label=label, rows=rows, total=total, page=paging
    )


@pages.post("/{number}/apply", dependencies=EDIT)
def apply(request: Request, number: Number, visitor: Visitor, bulk: BulkService) -> Response:
    made = bulk.apply(editor_of(visitor), number)
    if made.state is BulkState.APPLYING:
        return done(request, f"{ADDRESS}/{number}", message("The records are being changed."), "info")
    if made.passed_over:
        text = message(
            "Records changed: %(changed)s. Changed by others meanwhile, and left as they are: %(others)s.",
            changed=made.changed,
            others=made.passed_over,
        )
        return done(request, f"{ADDRESS}/{number}", text, "warning")
    return done(request, f"{ADDRESS}/{number}", message("Records changed: %(number)s.", number=made.changed))


@pages.post("/{number}/undo", dependencies=EDIT)
def undo(request: Request, number: Number, visitor: Visitor, bulk: BulkService) -> Response:
    made = bulk.undo(editor_of(visitor), number)
    if made.state is BulkState.UNDOING:
        return done(request, f"{ADDRESS}/{number}", message("The records are being restored."), "info")
    if made.kept:
        text = message(
            "Records that are as they were: %(restored)s. Changed since, and left as they are: %(others)s.",
            restored=made.restored,
            others=made.kept,
        )
        return done(request, f"{ADDRESS}/{number}", text, "warning")
    text = message("Undone. Records that are as they were: %(number)s.", number=made.restored)
    return done(request, f"{ADDRESS}/{number}", text)


def show_choice(
    request: Request,
    visitor: Visitor,
    page: PageShell,
    search: Search,
    collections: Collections,
    accounts: AccountsService,
    question: Question,
    form: Form,
    *,
    status: int = 200,
) -> Response:
    known = collections.all()
    editor = editor_of(visitor)
    offered = collections.editable(editor)
    decisions = [State.PROPOSED, *([State.VALIDATED, State.REFUSED] if editor.validates else [])]
    context: dict[str, Any] = {
        "form": form,
        "query": question.query(),
        "asked": in_words(question, search_showing.names_of(known)),
        "total": search.count(question, visitor.account.id),
        "collections": offered,
        "people": people(accounts),
        "options": {
            name: [("", say(AS_IT_IS)), *((one.value, say(text)) for one, text in table.items())]
            for name, table in (("budget", BUDGETS), ("frequency", FREQUENCIES), ("depth", DEPTHS))
        },
        "decisions": [("", say(AS_IT_IS)), *((one.value, say(STATES[one])) for one in decisions)],
        "as_it_is": AS_IT_IS,
        "nobody": typed(NOBODY),
        "validates": editor.validates,
    }
    return page.page(request, "selection/bulk_choose.html", status=status, **context)


def _own(visitor: Visitor, bulk: Bulk) -> bool:
    editor = editor_of(visitor)
    return visitor.may(Permission.SELECTION_EDIT) and (editor.everywhere or bulk.account == editor.account)
