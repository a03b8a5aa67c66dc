"""Rules as templates read them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from fastapi import Depends
from starlette.requests import HTTPConnection, Request

from armarium.access.networks.service import Networks
from armarium.access.policy import patterns
from armarium.access.policy.live import LivePolicy
from armarium.access.policy.model import Audience, Period, Rule, RuleEffect, Terms
from armarium.access.rules.coverage import Coverage, Covered
from armarium.access.rules.labels import EFFECT_HELP, EFFECTS, MATCHES, STATE_TONES, STATES, TONES
from armarium.access.rules.service import Rules
from armarium.access.settings import AccessSettings
from armarium.accounts.model import Role
from armarium.accounts.rules import ROLE_TITLES
from armarium.accounts.service import Accounts
from armarium.core.errors import NotFound
from armarium.core.message import Message, message
from armarium.core.services import Services
from armarium.languages.speech import ngettext, number, say
from armarium.settings import Settings
from armarium.web import history
from armarium.web.shell import Shell


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


# --- What all pages of the rules need: the services, and the choices of their forms.


TAKE_DOWN_EFFECTS = (RuleEffect.RESTRICT, RuleEffect.HIDE)


@dataclass(frozen=True)
class Desk:
    rules: Rules
    networks: Networks
    policy: LivePolicy
    coverage: Coverage
    accounts: Accounts
    settings: AccessSettings

    @classmethod
    def of(cls, services: Services) -> "Desk":
        return cls(
            services.get(Rules),
            services.get(Networks),
            services.get(LivePolicy),
            services.get(Coverage),
            services.get(Accounts),
            services.get(Settings)[AccessSettings],
        )

    def names(self, rules: Iterable[Rule]) -> Names:
        numbers = {number for rule in rules for number in rule.terms.audience.accounts}
        networks = {one.id: one.name for one in self.networks.all()}
        return Names(networks, {number: self._account(number) for number in numbers})

    def _account(self, number: int) -> str:
        try:
            return self.accounts.get(number).name
        except NotFound:
            return f"#{number}"

    def covered(self, terms: Terms) -> Mapping[str, Any]:
        """What a rule covers, as `policy_coverage.html` shows it."""
        found: Covered = self.coverage.of(terms)
        return {
            "words": patterns.covered(terms.match, terms.key),
            "captures": found.captures,
            "complete": found.complete,
            "examples": [
                {"url": line.url or line.key, "timestamp": line.timestamp, "date": dashed(line.timestamp)}
                for line in found.examples
            ],
        }

    def collection_options(self) -> list[tuple[str, str]]:
        return [(one.name, one.title or one.name) for one in self.coverage.collections()]

    def choices(self, *, take_down: bool = False) -> dict[str, Any]:
        """Of the form of a rule."""
        effects = TAKE_DOWN_EFFECTS if take_down else tuple(RuleEffect)
        as_typed: list[tuple[str, Message]] = [("", message("As it is typed"))]
        return {
            "effect_options": [(one.value, EFFECT_HELP[one]) for one in effects],
            "match_options": as_typed + [(one.value, text) for one, text in MATCHES.items()],
            "collection_options": [("", message("All collections")), *self.collection_options()],
            "role_options": [(role.value, ROLE_TITLES[role], "") for role in Role],
            "network_options": [(str(one.id), one.name, "") for one in self.networks.all()],
        }


def desk(connection: HTTPConnection) -> Desk:
    return Desk.of(connection.app.state.services)


DeskService = Annotated[Desk, Depends(desk)]


# --- The last entries of the audit log about a rule or a network, for its page.


#: Words for values of which the log keeps the name that programs use.
VALUES: Mapping[str, Mapping[str, Message]] = {
    "effect": {one.value: text for one, text in EFFECTS.items()},
    "match": {one.value: text for one, text in MATCHES.items()},
    "roles": {one.value: text for one, text in ROLE_TITLES.items()},
}


def history_of(request: Request, page: Shell, kind: str, number: int, names: Names) -> list[dict[str, Any]]:
    """What `history.html` shows, newest first; `kind` is that of the audit's subject.

    A rule that is made says little of what it could say: what it does not want is not told."""
    return history.history_of(
        request, page, kind, number, names.of_values(), words=VALUES, only_wanted_at_first=True
    )
