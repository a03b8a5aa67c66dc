"""The form of a rule: from what people type to what it says, and back."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from armarium.access.policy.model import UNITS, AddressMatch, Audience, Period, Rule, RuleEffect, Terms
from armarium.access.rules.checks import accounts_in, checked
from armarium.access.rules.page_data import dashed
from armarium.accounts.model import Role
from armarium.accounts.service import Accounts
from armarium.core.errors import Refusals, Refused
from armarium.core.message import message
from armarium.languages import speech
from armarium.web.forms import Form, filled
from armarium.web.paging import number_in

SEVERAL = ("roles", "networks")
_LAST_MOMENT = timedelta(microseconds=1)


def effect_in(form: Form) -> RuleEffect:
    given = form.get("effect")
    if given not in set(RuleEffect):
        raise Refused(message("Choose an effect."), field="effect")
    return RuleEffect(given)


def match_in(form: Form) -> AddressMatch | None:
    given = form.get("match")
    return AddressMatch(given) if given in set(AddressMatch) else None


def terms_in(
    form: Form, accounts: Accounts, *, take_down: bool = False, before: Terms | None = None
) -> Terms:
    """`before`: what the rule said; a day that was not touched keeps the hour that a program gave it."""
    with Refusals() as wrong:
        return _terms_in(form, accounts, wrong, take_down, before)


def checked_in(
    form: Form, accounts: Accounts, *, take_down: bool = False, before: Terms | None = None
) -> Terms:
    """The same, and all that is wrong with it told at once."""
    with Refusals() as wrong:
        terms = _terms_in(form, accounts, wrong, take_down, before)
        wrong.attempt(lambda: checked(terms, match_in(form)))
    return terms


def _terms_in(
    form: Form, accounts: Accounts, wrong: Refusals, take_down: bool, before: Terms | None
) -> Terms:
    effect = wrong.attempt(lambda: effect_in(form)) or RuleEffect.RESTRICT
    first = wrong.attempt(lambda: day_in(form, "valid_from"))
    last = wrong.attempt(lambda: day_in(form, "valid_until", after=True))
    audience = None if take_down else wrong.attempt(lambda: audience_in(form, accounts))
    # Fields that another effect has are still in the form.
    embargo = wrong.attempt(lambda: period_in(form)) if effect is RuleEffect.EMBARGO else None
    if before is not None and form.get("valid_from") == day_of(before.valid_from):
        first = before.valid_from
    if before is not None and form.get("valid_until") == day_of(before.valid_until, before=True):
        last = before.valid_until
    return Terms(
        effect=effect,
        pattern=form.get("pattern"),
        collection=form.get("collection"),
        captured_from=form.get("captured_from"),
        captured_to=form.get("captured_to"),
        audience=audience or Audience(),
        embargo=embargo or Period(),
        valid_from=first,
        valid_until=last,
        one_reader=form.ticked("one_reader") and effect is RuleEffect.ALLOW,
        no_downloads=form.ticked("no_downloads") and effect is RuleEffect.ALLOW,
        public_message=form.get("public_message"),
        reason=form.get("reason"),
        legal_basis=form.get("legal_basis"),
        take_down=take_down,
    )


def audience_in(form: Form, accounts: Accounts) -> Audience:
    numbers = [number_in(one) for one in form.chosen("networks")]
    return Audience(
        accredited=form.ticked("accredited"),
        roles=frozenset(Role(one) for one in form.chosen("roles") if one in set(Role)),
        accounts=accounts_in(form.get("accounts"), accounts),
        networks=frozenset(number for number in numbers if number),
    )


def period_in(form: Form) -> Period:
    return Period(*(_amount(form, f"embargo_{unit}") for unit in UNITS))


def _amount(form: Form, name: str) -> int:
    text = form.get(name).strip()
    found = number_in(text) if text else 0
    if found is None:
        raise Refused(message("Enter a whole number, or leave this empty."), field=name)
    return found


def day_in(form: Form, name: str, *, after: bool = False) -> datetime | None:
    """The first moment of a day where the site is; `after`: of the day after, as a last day is included."""
    text = form.get(name).strip()
    if not text:
        return None
    try:
        day = date.fromisoformat(text) + timedelta(days=after)
        moment = datetime.combine(day, time(), ZoneInfo(speech.time_zone()))
        return moment.astimezone(UTC)
    except (ValueError, OverflowError) as invalid:
        told = message("“%(text)s” is not a date. Write it as 2026-01-31.", text=text[:40])
        raise Refused(told, field=name) from invalid


def day_of(moment: datetime | None, *, before: bool = False) -> str:
    if moment is None:
        return ""
    return (moment - _LAST_MOMENT * before).astimezone(ZoneInfo(speech.time_zone())).date().isoformat()


def form_of(rule: Rule, account_names: Mapping[int, str]) -> Form:
    terms, said = rule.terms, rule.terms.flat()
    accounts = (account_names.get(one, f"#{one}") for one in said["accounts"])
    shown = {
        "effect": terms.effect.value,
        "match": terms.match.value,
        "captured_from": dashed(terms.captured_from),
        "captured_to": dashed(terms.captured_to),
        "roles": [role.value for role in said["roles"]],
        "accounts": ", ".join(accounts),
        "networks": [str(one) for one in said["networks"]],
        "valid_from": day_of(terms.valid_from),
        "valid_until": day_of(terms.valid_until, before=True),
        "seen": rule.edition,
    }
    embargo = {f"embargo_{unit}": said[f"embargo_{unit}"] or "" for unit in UNITS}
    return filled(**{**said, **shown, **embargo})
