"""The pages of take-downs: their list, and the same for those who have to report."""

import csv
import io
from collections.abc import Iterable

from starlette.responses import Response

from armarium.access.policy.model import Rule, State
from armarium.access.policy.queries import RuleFilter
from armarium.access.rules.page_data import VIEW, RulesPage
from armarium.access.rules.pages import TAKE_DOWNS
from armarium.web.paging import PAGE_SIZE, PageNumber, offset_of
from armarium.web.routes import Router

pages = Router()
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
