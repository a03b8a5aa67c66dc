"""What all pages of the rules need: the services, and the choices of their forms."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends
from starlette.requests import HTTPConnection

from armarium.access.policy import patterns
from armarium.access.policy.coverage import Coverage, Covered
from armarium.access.policy.live import LivePolicy
from armarium.access.policy.model import Rule, RuleEffect, Terms
from armarium.access.policy.networks import Networks
from armarium.access.policy.service import Rules
from armarium.access.policy.showing import Names, dashed
from armarium.access.policy.words import EFFECT_HELP, MATCHES
from armarium.access.settings import AccessSettings
from armarium.accounts.model import Role
from armarium.accounts.rules import ROLE_TITLES
from armarium.accounts.service import Accounts
from armarium.core.errors import NotFound
from armarium.core.message import Message, message
from armarium.core.services import Services
from armarium.settings import Settings

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
