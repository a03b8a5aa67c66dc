"""The list of records, which is their search."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Identity, Permission
from armarium.core.errors import Refused
from armarium.languages.speech import say
from armarium.selection.collections.service import Collections
from armarium.selection.records.form import people
from armarium.selection.records.showing import TONES
from armarium.selection.rights import editor_of
from armarium.selection.search import pages_saved, showing
from armarium.selection.search.model import ME, NOBODY, Question
from armarium.selection.search.saved import Searches
from armarium.selection.search.service import Found, Search
from armarium.selection.search.showing import ADDRESS
from armarium.selection.search.words import chips, typed
from armarium.selection.words import BUDGETS, DEPTHS, FREQUENCIES, ORIGINS, STATES
from armarium.web.guard import Visitor, needs
from armarium.web.paging import PAGE_SIZE, PageNumber, Paging, offset_of
from armarium.web.sections import joined
from armarium.web.services import AccountsService, service
from armarium.web.shell import PageShell

list_pages = APIRouter(prefix=ADDRESS)

SearchService = Annotated[Search, Depends(service(Search))]
SearchesService = Annotated[Searches, Depends(service(Searches))]
CollectionsService = Annotated[Collections, Depends(service(Collections))]

VIEW = [Depends(needs(Permission.SELECTION_VIEW))]


@list_pages.get("", dependencies=VIEW)
def records_page(
    request: Request,
    visitor: Visitor,
    page: PageShell,
    search: SearchService,
    searches: SearchesService,
    collections: CollectionsService,
    accounts: AccountsService,
    number: PageNumber = 1,
) -> Response:
    given = showing.given_of(request.query_params.multi_items())
    form, status, question = showing.form_of(given), 200, Question()
    try:
        question = Question.of(given)
        found = search.found(question, visitor.account.id, limit=PAGE_SIZE, offset=offset_of(number))
    except Refused as refusal:
        found, form, status = Found([], 0, {}), form.refuse(refusal), 422
    known, who = collections.all(), people(accounts)
    context: dict[str, Any] = {
        "form": form,
        "question": question,
        "query": question.query(),
        "chips": chips(question, showing.names_of(known)),
        "found": found,
        "facets": showing.facets(question, found.facets, known, who),
        "columns": showing.columns(question),
        "orders": showing.orders(question),
        "ticked": {
            name: [(one.value, say(text), None) for one, text in table.items()]
            for name, table in showing.TICKED.items()
        },
        "collections": known,
        "people": who,
        "own_words": [typed(ME), typed(NOBODY)],
        "searches": searches.visible(editor_of(visitor)),
        "page": Paging(request, number, found.total),
        "tones": TONES,
        **words(),
        **allowed(visitor),
    }
    return page.page(request, "selection/records_list.html", status=status, **context)


def words() -> dict[str, Any]:
    return {
        "budgets": BUDGETS,
        "frequencies": FREQUENCIES,
        "depths": DEPTHS,
        "states": STATES,
        "origins": ORIGINS,
    }


def allowed(visitor: Identity) -> dict[str, bool]:
    return {"may_change": visitor.may(Permission.SELECTION_EDIT)}


pages = joined(list_pages, pages_saved.pages)
