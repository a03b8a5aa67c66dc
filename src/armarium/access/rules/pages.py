"""The pages of the rules: the list, one of them with what it covers, and its end; and of take-downs."""

from typing import Annotated, Any

from fastapi import Depends
from starlette.responses import Response

from armarium.access.policy.model import Rule, RuleEffect, State
from armarium.access.policy.queries import RuleFilter
from armarium.access.rules.checks import checked
from armarium.access.rules.forms import SEVERAL, checked_in, form_of, match_in, terms_in
from armarium.access.rules.page_data import CHANGE, EFFECTS, STATES, VIEW, RulesPage, RulesRequest, shown
from armarium.core import clock
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.web.forms import Form, filled
from armarium.web.lists import csv_answer
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, number_in, offset_of
from armarium.web.posted import PostedForm
from armarium.web.routes import Router

ADDRESS = "/access/rules"
TAKE_DOWNS = "/access/take-downs"
pages = Router()


def filter_in(q: str = "", effect: str = "", state: str = "", collection: str = "") -> RuleFilter:
    return RuleFilter(
        text=q.strip()[:200],
        effect=RuleEffect(effect) if effect in set(RuleEffect) else None,
        state=State(state) if state in set(State) else None,
        collection=collection[:200],
    )


@pages.get(ADDRESS, dependencies=VIEW)
def rules_page(
    page: RulesPage, asked: Annotated[RuleFilter, Depends(filter_in)], number: PageNumber = 1
) -> Response:
    if page.request.query_params.get("export") == "csv":
        return csv_answer("access-rules", COLUMNS, map(_values, page.rules.page(asked, limit=MOST)[0]))
    found, total = page.rules.page(asked, limit=PAGE_SIZE, offset=offset_of(number))
    return page.live(
        "access/policy_list.html",
        "access/policy_table.html",
        rules=page.shown(found),
        total=total,
        page=page.paging(number, total),
        filter=asked,
        filtered=asked != RuleFilter(),
        effect_options=[(one.value, text) for one, text in EFFECTS.items()],
        state_options=[(one.value, text) for one, text in STATES.items()],
        collection_options=page.collection_options(),
        default=page.settings.default,
        may_change=page.may_change,
    )


@pages.get(f"{ADDRESS}/new", dependencies=CHANGE)
def new_rule_page(page: RulesPage, pattern: str = "") -> Response:
    return show_rule(page, None, filled(effect="restrict", pattern=pattern[:2000]))


@pages.post(f"{ADDRESS}/new", dependencies=CHANGE)
def add_rule(page: RulesPage, form: PostedForm) -> Response:
    return saved(page, None, form)


@pages.post(f"{ADDRESS}/preview", dependencies=CHANGE)
def preview(page: RulesPage, form: PostedForm) -> Response:
    """What the rule would cover, while it is being typed. Nothing is changed."""
    return page.part("access/policy_coverage.html", **preview_of(page, form))


@pages.get(f"{TAKE_DOWNS}/new", dependencies=CHANGE)
def new_take_down_page(page: RulesPage, pattern: str = "") -> Response:
    return show_rule(page, None, filled(effect="restrict", pattern=pattern[:2000]), take_down=True)


@pages.post(f"{TAKE_DOWNS}/new", dependencies=CHANGE)
def add_take_down(page: RulesPage, form: PostedForm) -> Response:
    return saved(page, None, form, take_down=True)


@pages.get(f"{ADDRESS}/{{number}}", dependencies=VIEW)
def rule_page(page: RulesPage, number: Number) -> Response:
    return show_rule(page, page.rules.get(number), editing="edit" in page.request.query_params)


@pages.post(f"{ADDRESS}/{{number}}", dependencies=CHANGE)
def change_rule(page: RulesPage, number: Number, form: PostedForm) -> Response:
    rule = page.rules.get(number)
    return saved(page, rule, form, take_down=rule.terms.take_down)


@pages.post(f"{ADDRESS}/{{number}}/end", dependencies=CHANGE)
def end_rule(page: RulesPage, number: Number, form: PostedForm) -> Response:
    form.id = "end"
    try:
        page.rules.end(page.actor, number, form.get("why"))
    except Refused as refusal:
        return show_rule(page, page.rules.get(number), ending=form.refuse(refusal))
    return page.done(f"{ADDRESS}/{number}", message("Rule %(number)s has ended.", number=number))


def saved(page: RulesRequest, known: Rule | None, form: Form, *, take_down: bool = False) -> Response:
    """A new rule, or a known one, as the form says; or only what it would cover."""
    try:
        if form.ticked("try"):
            return show_rule(page, known, again(form), take_down=take_down, tried=True)
        before = known.terms if known else None
        terms = checked_in(form, page.accounts, take_down=take_down, before=before)
        if known is None:
            page.coverage.check(terms.collection)
            made = page.rules.add(page.actor, terms, match_in(form))
            text = message("Rule %(number)s created. It applies from now on.", number=made.id)
            return page.done(f"{ADDRESS}/{made.id}", text)
        seen = number_in(form.get("seen"))
        page.rules.change(page.actor, known.id, terms, match_in(form), seen=seen)
    except Refused as refusal:
        return show_rule(page, known, form.refuse(refusal, several=SEVERAL), take_down=take_down)
    text = message("Rule %(number)s saved. It applies from now on.", number=known.id)
    return page.done(f"{ADDRESS}/{known.id}", text)


def again(form: Form) -> Form:
    """The form as it was typed, with all that was ticked."""
    for name in SEVERAL:
        form.values[name] = form.chosen(name)
    return form


def preview_of(page: RulesRequest, form: Form) -> dict[str, Any]:
    """What a form would cover; where it is not whole yet, what is missing."""
    try:
        terms = checked(terms_in(form, page.accounts), match_in(form))
    except Refused as refusal:
        if not form.get("pattern").strip() and not match_in(form):
            return {"covered": None, "missing": None}
        return {"covered": None, "missing": refusal.message}
    return {"covered": page.covered(terms), "missing": None}


def show_rule(
    page: RulesRequest,
    rule: Rule | None,
    form: Form | None = None,
    *,
    ending: Form | None = None,
    take_down: bool = False,
    tried: bool = False,
    editing: bool = False,
) -> Response:
    editing = editing or rule is None or form is not None
    names = page.names([rule] if rule else [])
    take_down = rule.terms.take_down if rule else take_down
    form = form or (form_of(rule, names.accounts) if rule else filled())
    covered = page.covered(rule.terms) if rule and not tried else None
    return page.show(
        "access/policy_show.html",
        form,
        rule=shown(rule, names, clock.now()) if rule else None,
        ending=ending or Form(id="end"),
        take_down=take_down,
        address=f"{ADDRESS}/{rule.id}" if rule else f"{TAKE_DOWNS if take_down else ADDRESS}/new",
        history=page.history_of(rule, names) if rule else [],
        may_change=page.may_change and (rule is None or rule.ended_at is None),
        editing=editing,
        **(preview_of(page, form) if tried else {"covered": covered, "missing": None}),
        **page.choices(take_down=take_down),
    )


MOST = 100_000
COLUMNS = (
    "number",
    "address",
    "match",
    "effect",
    "captured_from",
    "captured_to",
    "taken_down_at",
    "taken_down_by",
    "holds_from",
    "holds_until",
    "message",
    "reason",
    "legal_basis",
    "ended_at",
    "ended_by",
    "ended_why",
)


@pages.get(TAKE_DOWNS, dependencies=VIEW)
def take_downs_page(page: RulesPage, number: PageNumber = 1, ended: bool = False) -> Response:
    wanted = RuleFilter(take_down=True, state=State.ENDED if ended else None)
    found, total = page.rules.page(wanted, limit=PAGE_SIZE, offset=offset_of(number))
    return page.show(
        "access/policy_take_downs.html",
        rules=page.shown(found),
        total=total,
        ended=ended,
        page=page.paging(number, total),
        may_change=page.may_change,
    )


@pages.get(f"{TAKE_DOWNS}.csv", dependencies=VIEW)
def take_downs_table(page: RulesPage) -> Response:
    """All of them, those that have ended too."""
    rules = [
        rule
        for state in (None, State.ENDED)
        for rule in page.rules.page(RuleFilter(take_down=True, state=state), limit=MOST)[0]
    ]
    return csv_answer("take-downs", COLUMNS, map(_values, sorted(rules, key=lambda one: one.id)))


def _values(rule: Rule) -> tuple[object, ...]:
    terms = rule.terms
    return (
        rule.id,
        terms.pattern,
        terms.match.value,
        terms.effect.value,
        terms.captured_from,
        terms.captured_to,
        rule.created_at and rule.created_at.isoformat(timespec="seconds"),
        rule.created_by,
        terms.valid_from and terms.valid_from.isoformat(timespec="seconds"),
        terms.valid_until and terms.valid_until.isoformat(timespec="seconds"),
        terms.public_message,
        terms.reason,
        terms.legal_basis,
        rule.ended_at and rule.ended_at.isoformat(timespec="seconds"),
        rule.ended_by,
        rule.ended_why,
    )
