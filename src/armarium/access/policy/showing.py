"""Rules as templates read them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from armarium.access.policy import patterns
from armarium.access.policy.model import Audience, Period, Rule
from armarium.access.policy.words import EFFECTS, STATE_TONES, STATES, TONES
from armarium.accounts.rules import ROLE_TITLES
from armarium.core.message import Message, message
from armarium.languages.speech import ngettext, number, say


@dataclass(frozen=True)
class Names:
    """Of what rules number."""

    networks: Mapping[int, str]
    accounts: Mapping[int, str]

    def of_values(self) -> dict[str, Mapping[str, str]]:
        """For the history: the log keeps numbers."""
        return {
            "networks": {str(number): name for number, name in self.networks.items()},
            "accounts": {str(number): name for number, name in self.accounts.items()},
        }


def shown(rule: Rule, names: Names, now: datetime) -> dict[str, Any]:
    terms, state = rule.terms, rule.state(now)
    return {
        "id": rule.id,
        "rule": rule,
        "terms": terms,
        "effect": EFFECTS[terms.effect],
        "tone": TONES[terms.effect],
        "covers": patterns.covered(terms.match, terms.key),
        "period": period_in_words(terms.embargo),
        "audience": audience_in_words(terms.audience, names),
        "dates": dates_in_words(terms.captured_from, terms.captured_to),
        "state": STATES[state],
        "state_tone": STATE_TONES[state],
        "ended": rule.ended_at is not None,
    }


def audience_in_words(audience: Audience, names: Names) -> str:
    kinds = [
        _any(names.accounts.get(one, f"#{one}") for one in sorted(audience.accounts)),
        say(message("accredited readers")) if audience.accredited else "",
        _any(say(ROLE_TITLES[role]) for role in sorted(audience.roles)),
        _any(names.networks.get(one, f"#{one}") for one in sorted(audience.networks)),
    ]
    found = [kind for kind in kinds if kind]
    return " + ".join(found) if found else say(message("everyone"))


def _any(names: Iterable[str]) -> str:
    return ", ".join(names)


def period_in_words(period: Period) -> str:
    parts = [
        ngettext("%(num)s year", "%(num)s years", period.years) % {"num": number(period.years)},
        ngettext("%(num)s month", "%(num)s months", period.months) % {"num": number(period.months)},
        ngettext("%(num)s day", "%(num)s days", period.days) % {"num": number(period.days)},
    ]
    amounts = (period.years, period.months, period.days)
    return ", ".join(part for part, amount in zip(parts, amounts, strict=True) if amount)


def dates_in_words(first: str, last: str) -> Message | None:
    if first and last:
        return message("captured from %(first)s to %(last)s", first=dashed(first), last=dashed(last))
    if first:
        return message("captured from %(first)s on", first=dashed(first))
    return message("captured until %(last)s", last=dashed(last)) if last else None


def dashed(digits: str) -> str:
    """2026-01-31 12:00 for the digits of a timestamp."""
    day = "-".join(filter(None, (digits[:4], digits[4:6], digits[6:8])))
    time = ":".join(filter(None, (digits[8:10], digits[10:12], digits[12:14])))
    return f"{day} {time}".strip()
