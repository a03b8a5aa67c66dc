"""The list of records, which is their search."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.responses import Response

from armarium.accounts.model import Account, Permission
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.languages.speech import say
from armarium.selection.collections.api import CollectionsService
from armarium.selection.collections.model import Collection
from armarium.selection.entry.pages import ChecksService
from armarium.selection.model import BUDGETS, DEPTHS, FREQUENCIES, ORIGINS, STATES
from armarium.selection.permissions import editor_of
from armarium.selection.record_views.page_parts import TONES
from armarium.selection.records.forms import people
from armarium.selection.search.api import SearchesService, SearchService
from armarium.selection.search.columns import BACKWARDS, COLUMNS, RECORD, UNSORTED, as_csv, heads
from armarium.selection.search.fields import Given, Several
from armarium.selection.search.labels import (
    LABELS,
    NO,
    PEOPLE,
    TABLES,
    YES,
    Chip,
    Names,
    chips,
    meant,
    names_of,
    typed,
)
from armarium.selection.search.model import KINDS, ME, NOBODY, UNKNOWN, Question
from armarium.selection.search.service import Found
from armarium.web.forms import Form, Sparse
from armarium.web.pages import Page, guarded
from armarium.web.paging import PageNumber, Paging, offset_of
from armarium.web.routes import Router
from armarium.web.services import AccountsService

ADDRESS = "/selection/records"
pages = Router(prefix=ADDRESS)


VIEW = guarded(Permission.SELECTION_VIEW)
ROWS = 40  # with its many filters a page of more would be the heaviest of all
FACETS_SHOWN = 12
SEEN_AT_ONCE = 5000  # records of an export of what is seen
#: What the row of filters asks, one value of each; several at once are asked under “More filters”.
CHIPS = ("state", "collection", "frequency", "responsible")
ORDERS: Sequence[tuple[str, Message]] = (
    ("title", RECORD),
    *(
        (f"-{one.name}" if one.name in BACKWARDS else one.name, one.title)
        for one in COLUMNS.columns
        if one.name not in UNSORTED
    ),
    ("address", message("Address")),
    ("domain", message("Domain")),
    ("stop", message("Why it stopped")),
    ("-created", message("Created")),
    ("created_by", message("Created by")),
    ("-decided", message("Decided")),
    ("decided_by", message("Decided by")),
    ("modified_by", message("Changed by")),
    ("origin", message("Origin")),
    ("active", message("Active")),
    ("reason", message("Reason")),
    ("host", message("Host")),
    ("job", message("Job")),
    ("-edition", message("Edition")),
    ("number", message("Number")),
)
TICKED: Mapping[str, Mapping[Any, Message]] = {
    "state": STATES,
    "budget": BUDGETS,
    "frequency": FREQUENCIES,
    "depth": DEPTHS,
    "origin": ORIGINS,
}


@pages.get("", dependencies=VIEW)
def records_page(
    page: Page,
    search: SearchService,
    searches: SearchesService,
    collections: CollectionsService,
    accounts: AccountsService,
    checks: ChecksService,
    number: PageNumber = 1,
) -> Response:
    """With `export=csv`: all that fits, in the columns that are seen."""
    given = given_of(page.request.query_params.multi_items())
    form, question = form_of(given), Question()
    try:
        question = Question.of(given)
        if page.request.query_params.get("export") == "csv":
            seen = search.found(question, page.visitor.account.id, limit=SEEN_AT_ONCE).records
            return as_csv(seen, COLUMNS.shown(page.request))
        offset = offset_of(number, ROWS)
        found = search.found(question, page.visitor.account.id, limit=ROWS, offset=offset)
    except Refused as refusal:
        found, form = Found([], 0, {}), form.refuse(refusal)
    known, who = collections.all(), people(accounts)
    shown = COLUMNS.shown(page.request)
    return page.show(
        "selection/records_list.html",
        form=form,
        quick=quick(form, known, who),
        question=question,
        query=question.query(),
        chips=further_chips(question, names_of(known)),
        found=found,
        facets=facets(question, found.facets, known, who),
        columns=COLUMNS,
        shown=shown,
        heads=heads(question, shown, ADDRESS),
        pictures=checks.pictures([one.id for one in found.records]) if "picture" in shown else {},
        orders=orders(question),
        ticked={
            name: [(one.value, say(text), None) for one, text in table.items()]
            for name, table in TICKED.items()
        },
        collections=known,
        people=who,
        own_words=[typed(ME), typed(NOBODY)],
        searches=searches.visible(editor_of(page.visitor)),
        page=Paging(page.request, number, found.total, ROWS),
        tones=TONES,
        budgets=BUDGETS,
        frequencies=FREQUENCIES,
        depths=DEPTHS,
        states=STATES,
        origins=ORIGINS,
        may_change=page.may(Permission.SELECTION_EDIT),
    )


# What the list shows


def quick(form: Form, collections: Sequence[Collection], people: Sequence[Account]) -> list[dict[str, Any]]:
    """The row of filters. What is asked once stands there, and no more under “More filters”."""
    options: Mapping[str, Sequence[tuple[str, str]]] = {
        "state": [(one.value, say(text)) for one, text in STATES.items()],
        "collection": [(str(one.id), one.name) for one in collections],
        "frequency": [(one.value, say(text)) for one, text in FREQUENCIES.items()],
        "responsible": [
            *((one, say(PEOPLE[one])) for one in (ME, NOBODY)),
            *((one.name, one.display_name or one.name) for one in people),
        ],
    }
    found = []
    for name in CHIPS:
        asked = form.lists[name]
        known = [value for value, _ in options[name] if asked == [value]]
        if known:
            form.values[name] = ""
        found.append(
            {
                "name": name,
                "label": LABELS[name],
                "options": options[name],
                "value": next(iter(known), ""),
                "several": bool(asked) and not known,
            }
        )
    return found


def further_chips(question: Question, names: Names) -> list[Chip]:
    """What is asked, but for what the row of filters shows."""
    alone = {say(LABELS[name]) for name in CHIPS if len(getattr(question, name)) == 1}
    return [one for one in chips(question, names) if one.label not in alone]


def form_of(given: Given) -> Form:
    """What was asked, as the form shows it, right or wrong."""
    values: dict[str, Any] = {}
    for name, kind in KINDS.items():
        for parameter in kind.parameters(name):
            written = [one for one in given.get(parameter, ()) if one.strip()]
            values[parameter] = written if isinstance(kind, Several) else (written[-1] if written else "")
    lists = {name: list(values[name]) for name in CHIPS}
    values["responsible"] = [typed(one) for one in values["responsible"]]
    for name in ("keyword", "responsible", "language"):
        values[name] = ", ".join(values[name])
    values["order"] = next(iter(given.get("order", ())), "")
    return Form(values=Sparse(values), lists=lists)


def given_of(pairs: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    """The parameters of an address. Fields that take several texts may have them with commas between."""
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        parts = value.split(",") if name in {"keyword", "responsible", "language"} else [value]
        found.setdefault(name, []).extend(one.strip() for one in parts if one.strip())
    if "responsible" in found:
        found["responsible"] = [meant(one) for one in found["responsible"]]
    return found


def orders(question: Question) -> list[tuple[str, str]]:
    """Every way of ordering, for the form."""
    both = [(order, say(label)) for order, label in ORDERS]
    for order, label in ORDERS:
        turned = order.removeprefix("-") if order.startswith("-") else f"-{order}"
        both.append((turned, say(message("%(label)s, the other way round", label=say(label)))))
    return sorted(both, key=lambda one: (one[0] != question.order, one[1]))


def facets(
    question: Question,
    counted: Mapping[str, Mapping[Any, int]],
    collections: Sequence[Collection],
    people: Sequence[Account],
) -> list[dict[str, Any]]:
    """How what was found is divided; each a link that narrows the search to it. One part is no division."""
    names = names_of(collections)
    who = {one.id: one.name for one in people}
    found = []
    for name, counts in counted.items():
        items = [_facet(question, name, value, number, names, who) for value, number in counts.items()]
        known = sorted((one for one in items if one), key=lambda one: (-one["count"], one["label"]))
        if len(known) > 1:
            found.append(
                {"label": LABELS[name], "items": known[:FACETS_SHOWN], "more": len(known) > FACETS_SHOWN}
            )
    return found


def _facet(
    question: Question, name: str, value: Any, number: int, names: Names, who: Mapping[int, str]
) -> dict[str, Any] | None:
    label, asked = _named(name, value, names, who)
    if not label:
        return None
    narrowed = question.but(**{name: asked})
    return {"label": label, "count": number, "href": f"{ADDRESS}?{narrowed.query()}"}


def _named(name: str, value: Any, names: Names, who: Mapping[int, str]) -> tuple[str, Any]:
    """A value of a facet in words, and as a question has it."""
    if name == "active":
        return say(YES if value else NO), value
    if name in TABLES:
        return say(TABLES[name][value]), tuple(one for one in TICKED[name] if one == value)
    if name == "responsible":
        asked = NOBODY if value is None else who.get(value, "")
        return (say(PEOPLE[NOBODY]) if value is None else asked), (asked,)
    if name == "language":
        return (value, (value,)) if value else (say(message("not known")), (UNKNOWN,))
    known = names.collections if name == "collection" else names.themes
    return known.get(value, ""), (value,)
