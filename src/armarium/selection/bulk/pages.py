"""The pages of bulk edits: choose what to change, look at what would become of it, do it, undo it."""

from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core import clock
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.languages.speech import say
from armarium.selection.bulk import model
from armarium.selection.bulk.api import BulkService
from armarium.selection.bulk.forms import ValueTitles, changes_of
from armarium.selection.bulk.model import RUNNING, Bulk, BulkState, Outcome, Verdict
from armarium.selection.collections.api import CollectionsService
from armarium.selection.collections.service import Collections
from armarium.selection.model import BUDGETS, DEPTHS, FREQUENCIES, STATES, RecordState
from armarium.selection.permissions import editor_of
from armarium.selection.records.forms import people
from armarium.selection.search.api import SearchService
from armarium.selection.search.labels import in_words, names_of, typed
from armarium.selection.search.model import NOBODY, Question
from armarium.selection.search.pages import ADDRESS as RECORDS
from armarium.selection.search.service import Search
from armarium.web.forms import Form
from armarium.web.guard import Visitor
from armarium.web.pages import Page, PageRequest, guarded
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, offset_of
from armarium.web.posted import PostedForm
from armarium.web.routes import Router
from armarium.web.services import AccountsService

ADDRESS = "/selection/bulk"
pages = Router(prefix=ADDRESS)


VIEW = guarded(Permission.SELECTION_VIEW)
EDIT = guarded(Permission.SELECTION_EDIT)
SAMPLE = 20
AS_IT_IS = message("unchanged")
REFUSED_SHOWN = 5


@pages.get("", dependencies=VIEW)
def bulk_edits_page(
    page: Page,
    bulk: BulkService,
    collections: CollectionsService,
    accounts: AccountsService,
    number: PageNumber = 1,
) -> Response:
    found, total = bulk.page(limit=PAGE_SIZE, offset=offset_of(number))
    speaker = ValueTitles(collections.all(), people(accounts))
    rows = [{"bulk": one, "chosen": speaker.chosen(one.changes)} for one in found]
    return page.show(
        "selection/bulk_list.html",
        states=model.STATES,
        tones=model.TONES,
        rows=rows,
        total=total,
        page=page.paging(number, total),
    )


@pages.get("/new", dependencies=EDIT)
def choose_page(
    page: Page, search: SearchService, collections: CollectionsService, accounts: AccountsService
) -> Response:
    """On the records that are ticked, or on all that a search finds."""
    asked = page.request.query_params
    if asked.get("which") == "all":
        question = Question.parse(asked.get("search", ""))
    else:
        question = Question.of({"number": asked.getlist("number")})
        if not question.narrows:
            back = f"{RECORDS}?{asked.get('search', '')}"
            text = message("No records are selected. Select some, or edit all that were found.")
            return page.done(back, text, "warning")
    return show_choice(page, search, collections, accounts, question, Form())


@pages.post("", dependencies=EDIT)
def preview(
    page: Page,
    form: PostedForm,
    bulk: BulkService,
    search: SearchService,
    collections: CollectionsService,
    accounts: AccountsService,
) -> Response:
    question = Question.parse(form.get("query"))
    try:
        made = bulk.preview(editor_of(page.visitor), question, changes_of(form, accounts))
    except Refused as refusal:
        form.refuse(refusal)
        return show_choice(page, search, collections, accounts, question, form)
    return page.done(f"{ADDRESS}/{made.id}", message("Nothing is changed yet: look at the preview."), "info")


@pages.get("/{number}", dependencies=VIEW)
def bulk_page(
    page: Page, number: Number, bulk: BulkService, collections: CollectionsService, accounts: AccountsService
) -> Response:
    found, known = bulk.get(number), collections.all()
    speaker = ValueTitles(known, people(accounts))
    verdict = Verdict.CHANGE
    rows = bulk.records(number, verdict=verdict, limit=SAMPLE)
    groups = [
        {"label": model.REFUSAL_TITLES[one], "verdict": one.value, "count": count, "rows": first}
        for one, count, first in bulk.groups(number, sample=REFUSED_SHOWN)
    ]
    return page.live(
        "selection/bulk_show.html",
        "selection/bulk_part.html",
        bulk=found,
        chosen=speaker.chosen(found.changes),
        asked=in_words(Question.parse(found.query), names_of(known)),
        sample=[{"row": row, "changes": speaker.changes(row)} for row in rows],
        groups=groups,
        passed=bulk.records(number, outcome=Outcome.PASSED_OVER, limit=SAMPLE),
        kept=bulk.records(number, outcome=Outcome.KEPT, limit=SAMPLE),
        running=found.state in RUNNING,
        state=model.STATES[found.state],
        tone=model.TONES[found.state],
        undoable=found.may_be_undone(clock.now()),
        own=_own(page.visitor, found),
        States=BulkState,
    )


@pages.get("/{number}/refused/{verdict}", dependencies=VIEW)
def refused_page(
    page: Page, number: Number, verdict: Verdict, bulk: BulkService, place: PageNumber = 1
) -> Response:
    """All records of a preview that cannot be changed for one reason."""
    known = bulk.get(number)
    total = next((count for one, count, _ in bulk.groups(number, sample=1) if one is verdict), 0)
    rows = bulk.records(number, verdict=verdict, limit=PAGE_SIZE, offset=offset_of(place))
    label = model.REFUSAL_TITLES.get(verdict, model.STATES[known.state])
    paging = page.paging(place, total)
    return page.show(
        "selection/bulk_refused.html", bulk=known, label=label, rows=rows, total=total, page=paging
    )


@pages.post("/{number}/apply", dependencies=EDIT)
def apply(page: Page, number: Number, bulk: BulkService) -> Response:
    made = bulk.apply(editor_of(page.visitor), number)
    if made.state is BulkState.APPLYING:
        return page.done(f"{ADDRESS}/{number}", message("The records are being changed."), "info")
    if made.passed_over:
        text = message(
            "Records changed: %(changed)s. Changed by others meanwhile, and left as they are: %(others)s.",
            changed=made.changed,
            others=made.passed_over,
        )
        return page.done(f"{ADDRESS}/{number}", text, "warning")
    return page.done(f"{ADDRESS}/{number}", message("Records changed: %(number)s.", number=made.changed))


@pages.post("/{number}/undo", dependencies=EDIT)
def undo(page: Page, number: Number, bulk: BulkService) -> Response:
    made = bulk.undo(editor_of(page.visitor), number)
    if made.state is BulkState.UNDOING:
        return page.done(f"{ADDRESS}/{number}", message("The records are being restored."), "info")
    if made.kept:
        text = message(
            "Records that are as they were: %(restored)s. Changed since, and left as they are: %(others)s.",
            restored=made.restored,
            others=made.kept,
        )
        return page.done(f"{ADDRESS}/{number}", text, "warning")
    text = message("Undone. Records that are as they were: %(number)s.", number=made.restored)
    return page.done(f"{ADDRESS}/{number}", text)


def show_choice(
    page: PageRequest,
    search: Search,
    collections: Collections,
    accounts: AccountsService,
    question: Question,
    form: Form,
) -> Response:
    known = collections.all()
    editor = editor_of(page.visitor)
    offered = collections.editable(editor)
    decisions = [
        RecordState.PROPOSED,
        *([RecordState.VALIDATED, RecordState.REFUSED] if editor.validates else []),
    ]
    return page.show(
        "selection/bulk_choose.html",
        form=form,
        query=question.query(),
        asked=in_words(question, names_of(known)),
        total=search.count(question, page.visitor.account.id),
        collections=offered,
        people=people(accounts),
        options={
            name: [("", say(AS_IT_IS)), *((one.value, say(text)) for one, text in table.items())]
            for name, table in (("budget", BUDGETS), ("frequency", FREQUENCIES), ("depth", DEPTHS))
        },
        decisions=[("", say(AS_IT_IS)), *((one.value, say(STATES[one])) for one in decisions)],
        as_it_is=AS_IT_IS,
        nobody=typed(NOBODY),
        validates=editor.validates,
    )


def _own(visitor: Visitor, bulk: Bulk) -> bool:
    editor = editor_of(visitor)
    return visitor.may(Permission.SELECTION_EDIT) and (editor.everywhere or bulk.account == editor.account)
