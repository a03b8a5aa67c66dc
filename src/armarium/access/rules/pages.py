"""The pages of the rules: the list, one of them with what it covers, and its end."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from armarium.access.policy.model import Rule, RuleEffect, State
from armarium.access.policy.queries import RuleFilter
from armarium.access.rules.checks import checked
from armarium.access.rules.forms import SEVERAL, form_of, match_in, terms_in
from armarium.access.rules.labels import EFFECTS, STATES
from armarium.access.rules.page_data import Desk, DeskService, history_of, shown
from armarium.accounts.model import Permission
from armarium.core import clock
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.web.forms import Form, filled
from armarium.web.guard import Visitor, needs
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, Paging, number_in, offset_of
from armarium.web.posted import PostedForm
from armarium.web.shell import PageShell, Shell, done

ADDRESS = "/access/rules"
TAKE_DOWNS = "/access/take-downs"
pages = APIRouter()

VIEW = [Depends(needs(Permission.ACCESS_VIEW))]
RULES = [Depends(needs(Permission.ACCESS_RULES))]


def wanted(q: str = "", effect: str = "", state: str = "", collection: str = "") -> RuleFilter:
    return RuleFilter(
        text=q.strip()[:200],
        effect=RuleEffect(effect) if effect in set(RuleEffect) else None,
        state=State(state) if state in set(State) else None,
        collection=collection[:200],
    )


@pages.get(ADDRESS, dependencies=VIEW)
def rules_page(
    request: Request,
    visitor: Visitor,
    page: PageShell,
    desk: DeskService,
    asked: Annotated[RuleFilter, Depends(wanted)],
    number: PageNumber = 1,
) -> Response:
    found, total = desk.rules.page(asked, limit=PAGE_SIZE, offset=offset_of(number))
    names = desk.names(found)
    context: dict[str, Any] = {
        "rules": [shown(one, names, clock.now()) for one in found],
        "total": total,
        "page": Paging(request, number, total),
        "filter": asked,
        "filtered": asked != RuleFilter(),
        "effect_options": [(one.value, text) for one, text in EFFECTS.items()],
        "state_options": [(one.value, text) for one, text in STATES.items()],
        "collection_options": desk.collection_options(),
        "default": desk.settings.default,
        "may_change": visitor.may(Permission.ACCESS_RULES),
    }
    if request.headers.get("x-part"):
        return page.part(request, "access/policy_table.html", **context)
    return page.page(request, "access/policy_list.html", **context)


@pages.get(f"{ADDRESS}/new", dependencies=RULES)
def new_rule_page(request: Request, page: PageShell, desk: DeskService, pattern: str = "") -> Response:
    return show_rule(request, page, desk, form=filled(effect="restrict", pattern=pattern[:2000]))


@pages.post(f"{ADDRESS}/new", dependencies=RULES)
def add_rule(
    request: Request, visitor: Visitor, form: PostedForm, page: PageShell, desk: DeskService
) -> Response:
    return _add(request, visitor, form, page, desk, take_down=False)


@pages.post(f"{ADDRESS}/preview", dependencies=RULES)
def preview(request: Request, form: PostedForm, page: PageShell, desk: DeskService) -> Response:
    """What the rule would cover, while it is being typed. Nothing is changed."""
    return page.part(request, "access/policy_coverage.html", **preview_of(form, desk))


@pages.get(f"{TAKE_DOWNS}/new", dependencies=RULES)
def new_take_down_page(request: Request, page: PageShell, desk: DeskService, pattern: str = "") -> Response:
    form = filled(effect="restrict", pattern=pattern[:2000])
    return show_rule(request, page, desk, form=form, take_down=True)


@pages.post(f"{TAKE_DOWNS}/new", dependencies=RULES)
def add_take_down(
    request: Request, visitor: Visitor, form: PostedForm, page: PageShell, desk: DeskService
) -> Response:
    return _add(request, visitor, form, page, desk, take_down=True)


def _add(
    request: Request, visitor: Visitor, form: Form, page: Shell, desk: Desk, *, take_down: bool
) -> Response:
    try:
        if form.ticked("try"):
            return show_rule(request, page, desk, form=again(form), take_down=take_down, tried=True)
        terms = terms_in(form, desk.accounts, take_down=take_down)
        desk.coverage.check(terms.collection)
        made = desk.rules.add(visitor.actor, terms, match_in(form))
    except Refused as refusal:
        shown_again = form.refuse(refusal, several=SEVERAL)
        return show_rule(request, page, desk, form=shown_again, take_down=take_down, status=422)
    text = message("Rule %(number)s is made. It holds from now on, in all doors.", number=made.id)
    return done(request, f"{ADDRESS}/{made.id}", text)


@pages.get(f"{ADDRESS}/{{number}}", dependencies=VIEW)
def rule_page(
    request: Request, number: Number, visitor: Visitor, page: PageShell, desk: DeskService
) -> Response:
    rule = desk.rules.get(number)
    return show_rule(request, page, desk, rule, may_change=visitor.may(Permission.ACCESS_RULES))


@pages.post(f"{ADDRESS}/{{number}}", dependencies=RULES)
def change_rule(
    request: Request, number: Number, visitor: Visitor, form: PostedForm, page: PageShell, desk: DeskService
) -> Response:
    rule = desk.rules.get(number)
    try:
        if form.ticked("try"):
            return show_rule(request, page, desk, rule, form=again(form), tried=True)
        terms = terms_in(form, desk.accounts, take_down=rule.terms.take_down, before=rule.terms)
        seen = number_in(form.get("seen"))
        desk.rules.change(visitor.actor, number, terms, match_in(form), seen=seen)
    except Refused as refusal:
        shown_again = form.refuse(refusal, several=SEVERAL)
        return show_rule(request, page, desk, rule, form=shown_again, status=422)
    text = message("Rule %(number)s is saved. It holds from now on, in all doors.", number=number)
    return done(request, f"{ADDRESS}/{number}", text)


@pages.post(f"{ADDRESS}/{{number}}/end", dependencies=RULES)
def end_rule(
    request: Request, number: Number, visitor: Visitor, form: PostedForm, page: PageShell, desk: DeskService
) -> Response:
    form.id = "end"
    try:
        desk.rules.end(visitor.actor, number, form.get("why"))
    except Refused as refusal:
        rule = desk.rules.get(number)
        return show_rule(request, page, desk, rule, ending=form.refuse(refusal), status=422)
    return done(request, f"{ADDRESS}/{number}", message("Rule %(number)s has ended.", number=number))


def again(form: Form) -> Form:
    """The form as it was typed, with all that was ticked."""
    for name in SEVERAL:
        form.values[name] = form.chosen(name)
    return form


def preview_of(form: Form, desk: Desk) -> dict[str, Any]:
    """What a form would cover; where it is not whole yet, what is missing."""
    try:
        terms = checked(terms_in(form, desk.accounts), match_in(form))
    except Refused as refusal:
        if not form.get("pattern").strip() and not match_in(form):
            return {"covered": None, "missing": None}
        return {"covered": None, "missing": refusal.message}
    return {"covered": desk.covered(terms), "missing": None}


def show_rule(
    request: Request,
    page: Shell,
    desk: Desk,
    rule: Rule | None = None,
    *,
    form: Form | None = None,
    ending: Form | None = None,
    take_down: bool = False,
    tried: bool = False,
    may_change: bool = True,
    status: int = 200,
) -> Response:
    names = desk.names([rule] if rule else [])
    if form is None:
        form = form_of(rule, names.accounts) if rule else filled()
    take_down = rule.terms.take_down if rule else take_down
    covered = desk.covered(rule.terms) if rule and not tried else None
    preview = preview_of(form, desk) if tried else {"covered": covered, "missing": None}
    context: dict[str, Any] = {
        "rule": shown(rule, names, clock.now()) if rule else None,
        "form": form,
        "ending": ending or Form(id="end"),
        "take_down": take_down,
        "address": f"{ADDRESS}/{rule.id}" if rule else f"{TAKE_DOWNS if take_down else ADDRESS}/new",
        "history": history_of(request, page, "access-rule", rule.id, names) if rule else [],
        "may_change": may_change and (rule is None or rule.ended_at is None),
        **preview,
        **desk.choices(take_down=take_down),
    }
    return page.page(request, "access/policy_show.html", status=status, **context)
