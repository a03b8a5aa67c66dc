"""Rules as the API and commands read and write them."""

from datetime import datetime
from typing import Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from armarium.access.policy.model import AddressMatch, Rule, RuleEffect, Terms
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
        match = self.match or AddressMatch.EVERYTHING
        return Terms.of({**{name: getattr(self, name) for name in RuleGiven.model_fields}, "match": match})


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
    own = {name: value for name, value in vars(rule).items() if name != "terms"}
    return RuleShown.model_validate({**rule.terms.flat(), **own, "state": rule.state(clock.now()).value})
