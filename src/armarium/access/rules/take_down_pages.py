"""The pages of take-downs: their list, and the same for those who have to report."""

import csv
import io
from collections.abc import Iterable
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from armarium.access.policy.model import Rule, State
from armarium.access.policy.queries import RuleFilter
from armarium.access.rules.page_data import DeskService, shown
from armarium.access.rules.pages import TAKE_DOWNS, VIEW
from armarium.accounts.model import Permission
from armarium.core import clock
from armarium.web.guard import Visitor
from armarium.web.paging import PAGE_SIZE, PageNumber, Paging, offset_of
from armarium.web.shell import PageShell

pages = APIRouter()
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
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a table calculator would reckon with what begins so


@pages.get(TAKE_DOWNS, dependencies=VIEW)
def take_downs_page(
    request: Request,
    visitor: Visitor,
    page: PageShell,
    desk: DeskService,
    number: PageNumber = 1,
    ended: bool = False,
) -> Response:
    wanted = RuleFilter(take_down=True, state=State.ENDED if ended else None)
    found, total = desk.rules.page(wanted, limit=PAGE_SIZE, offset=offset_of(number))
    names = desk.names(found)
    context: dict[str, Any] = {
        "rules": [shown(one, names, clock.now()) for one in found],
        "total": total,
        "ended": ended,
        "page": Paging(request, number, total),
        "may_change": visitor.may(Permission.ACCESS_RULES),
    }
    return page.page(request, "access/policy_take_downs.html", **context)


@pages.get(f"{TAKE_DOWNS}.csv", dependencies=VIEW)
def take_downs_table(desk: DeskService) -> Response:
    """All of them, those that have ended too."""
    rules = [
        rule
        for state in (None, State.ENDED)
        for rule in desk.rules.page(RuleFilter(take_down=True, state=state), limit=MOST)[0]
    ]
    headers = {"Content-Disposition": 'attachment; filename="take-downs.csv"'}
    return Response(as_csv(rules), media_type="text/csv; charset=utf-8", headers=headers)


def as_csv(rules: Iterable[Rule]) -> str:
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow(COLUMNS)
    for rule in sorted(rules, key=lambda one: one.id):
        writer.writerow([_cell(value) for value in _values(rule)])
    return written.getvalue()


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


def _cell(value: object) -> str:
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text
