"""The API of rules and decisions."""

from datetime import date
from typing import Annotated

from fastapi import Depends, Query
from pydantic import BaseModel, ConfigDict, Field

from armarium.access.model import Decision, Effect, Reader
from armarium.access.policy.editions import LivePolicy
from armarium.access.policy.model import RuleEffect, State
from armarium.access.policy.patterns import LONGEST
from armarium.access.policy.queries import RuleFilter
from armarium.access.rules.checks import Coverage, question_about
from armarium.access.rules.exchange import (
    Ending,
    RuleGiven,
    RuleShown,
    rule_shown,
)
from armarium.access.rules.service import Rules
from armarium.accounts.model import Permission, Role
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import At, Listing, Number
from armarium.web.routes import Router
from armarium.web.services import service

api = Router(prefix="/access", tags=["access"])
decisions = Router(prefix="/access", tags=["access"])

RulesService = Annotated[Rules, Depends(service(Rules))]
CoverageService = Annotated[Coverage, Depends(service(Coverage))]
Policy = Annotated[LivePolicy, Depends(service(LivePolicy))]
VIEW = operation(Permission.ACCESS_VIEW)
RULES = operation(Permission.ACCESS_RULES)
MOST_CHECKED = 10_000


# Rules ------------------------------------------------------------------------------------------------


@api.get("/rules", summary="List rules; without a state, those that have not ended", **VIEW)
def list_rules(
    rules: RulesService,
    q: Annotated[str, Query(max_length=200, description="In address, reason or message.")] = "",
    effect: RuleEffect | None = None,
    state: State | None = None,
    collection: Annotated[str, Query(max_length=200)] = "",
    take_down: bool | None = None,
    *,
    at: At,
) -> Listing[RuleShown]:
    wanted = RuleFilter(text=q, effect=effect, state=state, collection=collection, take_down=take_down)
    found, total = rules.page(wanted, limit=at.limit, offset=at.place)
    return at.listing([rule_shown(one) for one in found], total)


@api.post("/rules", status_code=201, summary="Make a rule", **RULES)
def add_rule(visitor: Visitor, given: RuleGiven, rules: RulesService, coverage: CoverageService) -> RuleShown:
    coverage.check(given.collection)
    return rule_shown(rules.add(visitor.actor, given.terms(), given.match))


@api.get("/rules/{number}", summary="Read a rule", **VIEW)
def read_rule(number: Number, rules: RulesService) -> RuleShown:
    return rule_shown(rules.get(number))


@api.put("/rules/{number}", summary="Replace a rule", **RULES)
def replace_rule(
    number: Number,
    visitor: Visitor,
    given: RuleGiven,
    rules: RulesService,
    coverage: CoverageService,
    edition: Annotated[int | None, Query(description="Refuse it if somebody else was faster.")] = None,
) -> RuleShown:
    coverage.check(given.collection)
    return rule_shown(rules.change(visitor.actor, number, given.terms(), given.match, seen=edition))


@api.post("/rules/{number}/end", summary="End a rule; it stays, as history", **RULES)
def end_rule(number: Number, visitor: Visitor, given: Ending, rules: RulesService) -> RuleShown:
    return rule_shown(rules.end(visitor.actor, number, given.why))


# Decisions --------------------------------------------------------------------------------------------


class Asked(BaseModel):
    model_config = ConfigDict(extra="forbid")

    url: Annotated[str, Field(max_length=LONGEST)]
    timestamp: Annotated[str, Field(max_length=20, description="Of the capture; empty: now.")] = ""


class Decided(BaseModel):
    """What becomes of a capture."""

    allowed: bool
    effect: Effect
    rule: int | None = Field(description="Which decides; none: the default of the settings.")
    message: str
    until: date | None
    one_reader: bool
    no_downloads: bool


class Step(BaseModel):
    rule: RuleShown
    misfit: str | None = Field(description="Why the rule has no say; none: it fits.")
    decides: bool


class Explained(Decided):
    steps: list[Step] = Field(description="Every rule that speaks of the address, in their order.")


def reader(
    account: Annotated[int | None, Query(description="Number of the reader's account.")] = None,
    role: Annotated[list[Role], Query(max_length=20)] = [],  # noqa: B006  (FastAPI makes a new one)
    network: Annotated[list[int], Query(max_length=1000)] = [],  # noqa: B006
    accredited: bool = False,
) -> Reader:
    return Reader(account, frozenset(role), frozenset(network), accredited)


AskedFor = Annotated[Reader, Depends(reader)]
InCollection = Annotated[str, Query(max_length=200, description="Empty: all.")]


def decided(decision: Decision) -> dict[str, object]:
    return {"allowed": decision.allowed, **vars(decision)}


@decisions.post(
    "/check", summary="What a reader may see of many captures, in the order of the question", **VIEW
)
def check(
    asked: Annotated[list[Asked], Field(max_length=MOST_CHECKED)],
    policy: Policy,
    who: AskedFor,
    collection: InCollection = "",
) -> list[Decided]:
    wishes = (question_about(one.url, one.timestamp, who, collection) for one in asked)
    return [Decided.model_validate(decided(policy.decide(who, one.collection, one.line))) for one in wishes]


@decisions.get("/why", summary="Why a reader may see a capture, or not", **VIEW)
def why(
    url: Annotated[str, Query(max_length=LONGEST)],
    policy: Policy,
    who: AskedFor,
    timestamp: Annotated[str, Query(max_length=20)] = "",
    collection: InCollection = "",
) -> Explained:
    asked = question_about(url, timestamp, who, collection)
    found = policy.explain(who, asked.collection, asked.line)
    steps = [
        Step(rule=rule_shown(step.rule), misfit=step.misfit, decides=step.decides) for step in found.steps
    ]
    return Explained.model_validate({**decided(found.decision), "steps": steps})
