"""Rules as the API and commands read and write them."""

from datetime import datetime
from typing import Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from armarium.access.policy.model import AddressMatch, Audience, Period, Rule, RuleEffect, Terms
from armarium.access.policy.patterns import LONGEST
from armarium.access.rules.checks import LONGEST_NAME, LONGEST_TEXT, MOST_NAMED
from armarium.accounts.model import Role
from armarium.core import clock
from armarium.web.numbers import Id

Text = Annotated[str, Field(max_length=LONGEST_TEXT)]
Date = Annotated[str, Field(max_length=20, description="A timestamp or its first digits, or 2026-01-31.")]
Amount = Annotated[int, Field(ge=0, le=36_500)]
Numbers = Annotated[list[Id], Field(max_length=MOST_NAMED)]


class RuleGiven(BaseModel):
    """PUT replaces: what is not said is as here."""

    model_config = ConfigDict(extra="forbid")

    effect: RuleEffect
    pattern: Annotated[str, Field(max_length=LONGEST)] = ""
    match: AddressMatch | None = Field(None, description="None: as the pattern is typed.")
    collection: Annotated[str, Field(max_length=LONGEST_NAME)] = ""
    captured_from: Date = ""
    captured_to: Date = ""
    accredited: bool = False
    roles: list[Role] = []
    accounts: Numbers = []
    networks: Numbers = []
    embargo_years: Amount = 0
    embargo_months: Amount = 0
    embargo_days: Amount = 0
    valid_from: AwareDatetime | None = None
    valid_until: AwareDatetime | None = None
    one_reader: bool = False
    no_downloads: bool = False
    public_message: Text = ""
    reason: Text = ""
    legal_basis: Text = ""
    take_down: bool = False

    def terms(self) -> Terms:
        """Not checked yet."""
        audience = Audience(
            self.accredited, frozenset(self.roles), frozenset(self.accounts), frozenset(self.networks)
        )
        return Terms(
            effect=self.effect,
            pattern=self.pattern,
            collection=self.collection,
            captured_from=self.captured_from,
            captured_to=self.captured_to,
            audience=audience,
            embargo=Period(self.embargo_years, self.embargo_months, self.embargo_days),
            valid_from=self.valid_from,
            valid_until=self.valid_until,
            one_reader=self.one_reader,
            no_downloads=self.no_downloads,
            public_message=self.public_message,
            reason=self.reason,
            legal_basis=self.legal_basis,
            take_down=self.take_down,
        )


class RuleShown(RuleGiven):
    id: int
    key: str
    state: str
    edition: int
    created_at: datetime | None
    created_by: str
    ended_at: datetime | None
    ended_by: str
    ended_why: str


class Ending(BaseModel):
    model_config = ConfigDict(extra="forbid")

    why: Text


def rule_shown(rule: Rule) -> RuleShown:
    terms, audience = rule.terms, rule.terms.audience
    said = {**terms.described(), "valid_from": terms.valid_from, "valid_until": terms.valid_until}
    said |= {"roles": sorted(audience.roles), "match": terms.match, "effect": terms.effect}
    return RuleShown.model_validate(
        {
            **said,
            "id": rule.id,
            "key": terms.key,
            "state": rule.state(clock.now()).value,
            "edition": rule.edition,
            "created_at": rule.created_at,
            "created_by": rule.created_by,
            "ended_at": rule.ended_at,
            "ended_by": rule.ended_by,
            "ended_why": rule.ended_why,
        }
    )
