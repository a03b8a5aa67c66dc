"""What the pages of rules have in common: the services they ask, rules as templates read
them, and their words."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from fastapi import Depends

from armarium.access.model import Effect
from armarium.access.networks.service import Networks
from armarium.access.policy import patterns
from armarium.access.policy.editions import LivePolicy
from armarium.access.policy.matching import Misfit
from armarium.access.policy.model import AddressMatch, Audience, Period, Rule, RuleEffect, State, Terms
from armarium.access.rules.checks import Coverage
from armarium.access.rules.service import Rules
from armarium.access.settings import AccessSettings
from armarium.accounts.model import Permission, Role
from armarium.accounts.rules import ROLE_TITLES
from armarium.accounts.service import Accounts
from armarium.core import clock
from armarium.core.errors import NotFound
from armarium.core.message import Message, message
from armarium.core.services import Services
from armarium.languages.speech import ngettext, number, say
from armarium.settings import Settings
from armarium.web import history
from armarium.web.pages import Page, PageRequest, guarded

ACTIONS: dict[str, Message] = {
    "access-rule.made": message("Access rule created"),
    "access-rule.taken-down": message("Taken down"),
    "access-rule.changed": message("Access rule changed"),
    "access-rule.ended": message("Access rule ended"),
    "access-network.made": message("Network created"),
    "access-network.changed": message("Network changed"),
    "access-network.removed": message("Network removed"),
}
WORDS: dict[str, Message] = {
    "access-rule": message("Access rule"),
    "access-network": message("Network"),
    "effect": message("Effect"),
    "take_down": message("Take-down"),
    "pattern": message("Address"),
    "match": message("Scope"),
    "collection": message("Collection"),
    "captured_from": message("Captured from"),
    "captured_to": message("Captured to"),
    "accredited": message("Accredited readers"),
    "roles": message("Roles"),
    "accounts": message("Accounts"),
    "networks": message("Networks"),
    "embargo_years": message("Years of embargo"),
    "embargo_months": message("Months of embargo"),
    "embargo_days": message("Days of embargo"),
    "valid_from": message("Applies from"),
    "valid_until": message("Applies until"),
    "one_reader": message("One reader at a time"),
    "no_downloads": message("No downloads"),
    "public_message": message("Message to readers"),
    "reason": message("Reason"),
    "legal_basis": message("Legal basis"),
    "ended_why": message("Why it ended"),
    "ranges": message("Addresses"),
    "note": message("Note"),
}
EFFECTS: dict[RuleEffect, Message] = {
    RuleEffect.ALLOW: message("Allow"),
    RuleEffect.RESTRICT: message("Restrict"),
    RuleEffect.HIDE: message("Hide"),
    RuleEffect.EMBARGO: message("Embargo"),
}
EFFECT_HELP: dict[RuleEffect, Message] = {
    RuleEffect.ALLOW: message("Allow: readers see it"),
    RuleEffect.RESTRICT: message("Restrict: readers learn that it exists, but cannot see it"),
    RuleEffect.HIDE: message("Hide: as if it were not in the archive"),
    RuleEffect.EMBARGO: message("Embargo: restricted for some time after the capture"),
}
TONES: dict[RuleEffect, str] = {
    RuleEffect.ALLOW: "good",
    RuleEffect.RESTRICT: "warning",
    RuleEffect.HIDE: "bad",
    RuleEffect.EMBARGO: "waiting",
}
MATCHES: dict[AddressMatch, Message] = {
    AddressMatch.EXACT: message("This page only"),
    AddressMatch.PREFIX: message("All addresses that start like this"),
    AddressMatch.HOST: message("The host"),
    AddressMatch.DOMAIN: message("The domain, with all hosts"),
    AddressMatch.EVERYTHING: message("Everything in the archive"),
}
STATES: dict[State, Message] = {
    State.IN_FORCE: message("in force"),
    State.PLANNED: message("planned"),
    State.EXPIRED: message("expired"),
    State.ENDED: message("ended"),
}
STATE_TONES: dict[State, str] = {
    State.IN_FORCE: "good",
    State.PLANNED: "waiting",
    State.EXPIRED: "neutral",
    State.ENDED: "neutral",
}
OUTCOMES: dict[Effect, Message] = {
    Effect.ALLOWED: message("may be seen"),
    Effect.RESTRICTED: message("restricted"),
    Effect.HIDDEN: message("hidden"),
}
OUTCOME_TONES: dict[Effect, str] = {
    Effect.ALLOWED: "good",
    Effect.RESTRICTED: "warning",
    Effect.HIDDEN: "bad",
}
MISFITS: dict[Misfit, Message] = {
    Misfit.AUDIENCE: message("It is for other readers."),
    Misfit.NOT_YET: message("It does not apply yet."),
    Misfit.NO_LONGER: message("It no longer applies."),
    Misfit.CAPTURED: message("It is for captures of other dates."),
    Misfit.COLLECTION: message("It is for another collection."),
    Misfit.EMBARGO_OVER: message("Its embargo is over for this capture."),
}


VIEW, CHANGE = guarded(Permission.ACCESS_VIEW), guarded(Permission.ACCESS_RULES)
TAKE_DOWN_EFFECTS = (RuleEffect.RESTRICT, RuleEffect.HIDE)
#: Words for values of which the log keeps the name that programs use.
VALUES: Mapping[str, Mapping[str, Message]] = {
    "effect": {one.value: text for one, text in EFFECTS.items()},
    "match": {one.value: text for one, text in MATCHES.items()},
    "roles": {one.value: text for one, text in ROLE_TITLES.items()},
}


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


@dataclass(frozen=True)
class RulesRequest(PageRequest):
    rules: Rules
    networks: Networks
    policy: LivePolicy
    coverage: Coverage
    accounts: Accounts
    settings: AccessSettings

    @property
    def may_change(self) -> bool:
        return self.may(Permission.ACCESS_RULES)

    def names(self, rules: Iterable[Rule]) -> Names:
        numbers = {number for rule in rules for number in rule.terms.audience.accounts}
        networks = {one.id: one.name for one in self.networks.all()}
        return Names(networks, {number: self._account(number) for number in numbers})

    def _account(self, number: int) -> str:
        try:
            return self.accounts.get(number).name
        except NotFound:
            return f"#{number}"

    def shown(self, rules: list[Rule]) -> list[dict[str, Any]]:
        names, now = self.names(rules), clock.now()
        return [shown(one, names, now) for one in rules]

    def covered(self, terms: Terms) -> Mapping[str, Any]:
        """What a rule covers, as `policy_coverage.html` shows it."""
        found = self.coverage.of(terms)
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
        as_typed: list[tuple[str, Message]] = [("", message("As typed"))]
        return {
            "effect_options": [(one.value, EFFECT_HELP[one]) for one in effects],
            "match_options": as_typed + [(one.value, text) for one, text in MATCHES.items()],
            "collection_options": [("", message("All collections")), *self.collection_options()],
            "role_options": [(role.value, ROLE_TITLES[role], "") for role in Role],
            "network_options": [(str(one.id), one.name, "") for one in self.networks.all()],
        }

    def history_of(self, rule: Rule, names: Names) -> list[dict[str, Any]]:
        """What `history.html` shows, newest first.

        A rule that is made says little of what it could say: what it does not want is not told."""
        said = names.of_values()
        return history.history_of(
            self.request, self.shell, "access-rule", rule.id, said, words=VALUES, only_wanted_at_first=True
        )


async def rules_request(page: Page) -> RulesRequest:
    services: Services = page.request.app.state.services
    return RulesRequest(
        page.request,
        page.visitor,
        page.shell,
        services.get(Rules),
        services.get(Networks),
        services.get(LivePolicy),
        services.get(Coverage),
        services.get(Accounts),
        services.get(Settings)[AccessSettings],
    )


RulesPage = Annotated[RulesRequest, Depends(rules_request)]


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
        ", ".join(names.accounts.get(one, f"#{one}") for one in sorted(audience.accounts)),
        say(message("accredited readers")) if audience.accredited else "",
        ", ".join(say(ROLE_TITLES[role]) for role in sorted(audience.roles)),
        ", ".join(names.networks.get(one, f"#{one}") for one in sorted(audience.networks)),
    ]
    return " + ".join(filter(None, kinds)) or say(message("everyone"))


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
        return message("captured from %(first)s", first=dashed(first))
    return message("captured until %(last)s", last=dashed(last)) if last else None


def dashed(digits: str) -> str:
    """2026-01-31 12:00 for the digits of a timestamp."""
    day = "-".join(filter(None, (digits[:4], digits[4:6], digits[6:8])))
    time = ":".join(filter(None, (digits[8:10], digits[10:12], digits[12:14])))
    return f"{day} {time}".strip()
