"""The page that tells why somebody sees a capture, or does not."""

from typing import Annotated, Any

from fastapi import Depends, Query
from starlette.responses import Response

from armarium.access.model import Reader
from armarium.access.rules.checks import CaptureQuestion, accounts_in, question_about
from armarium.access.rules.page_data import (
    MISFITS,
    OUTCOME_TONES,
    OUTCOMES,
    VIEW,
    RulesPage,
    RulesRequest,
    dashed,
    shown,
)
from armarium.accounts.model import Role
from armarium.core import clock
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.web.forms import Form, filled
from armarium.web.paging import number_in
from armarium.web.routes import Router

ADDRESS = "/access/why"
pages = Router()

Chosen = Annotated[list[str], Query(max_length=100)]


def asked_form(
    url: str = "",
    date: str = "",
    collection: str = "",
    account: str = "",
    accredited: str = "",
    roles: Chosen = [],  # noqa: B006  (FastAPI makes a new one each time)
    networks: Chosen = [],  # noqa: B006
) -> Form:
    return filled(
        url=url,
        date=date,
        collection=collection,
        account=account,
        accredited=accredited,
        roles=roles,
        networks=networks,
    )


@pages.get(ADDRESS, dependencies=VIEW)
def why_page(page: RulesPage, form: Annotated[Form, Depends(asked_form)]) -> Response:
    found = None
    if form.get("url"):
        try:
            found = answer(page, question_in(page, form))
        except Refused as refusal:
            form.refuse(refusal)
    return page.show("access/policy_why.html", form, answer=found, **page.choices())


def question_in(page: RulesRequest, form: Form) -> CaptureQuestion:
    numbers = [number_in(str(one)) for one in form.values["networks"]]
    try:
        accounts = accounts_in(form.get("account"), page.accounts)
    except Refused as refusal:
        raise Refused(refusal.message, field="account") from refusal
    reader = Reader(
        account=next(iter(accounts), None),
        roles=frozenset(Role(one) for one in form.values["roles"] if one in set(Role)),
        networks=frozenset(number for number in numbers if number),
        accredited=bool(form.get("accredited")),
    )
    return question_about(form.get("url"), form.get("date"), reader, form.get("collection"))


def answer(page: RulesRequest, asked: CaptureQuestion) -> dict[str, Any]:
    found = page.policy.explain(asked.reader, asked.collection, asked.line)
    names = page.names([step.rule for step in found.steps])
    decision = found.decision
    return {
        "outcome": OUTCOMES[decision.effect],
        "tone": OUTCOME_TONES[decision.effect],
        "decision": decision,
        "key": asked.line.key,
        "date": dashed(asked.line.timestamp),
        "default": None if decision.rule else default_in_words(page.settings.default),
        "steps": [
            {
                **shown(step.rule, names, clock.now()),
                "misfit": MISFITS[step.misfit] if step.misfit else None,
                "decides": step.decides,
            }
            for step in found.steps
        ],
    }


def default_in_words(default: str) -> Message:
    return {
        "everyone": message("No rule decides, so everyone may see it."),
        "accredited": message("No rule decides, so only accredited readers and staff may see it."),
        "staff": message("No rule decides, so only staff may see it."),
    }[default]
