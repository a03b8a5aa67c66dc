"""Rules as documents of the API and commands, and in files: our own JSON, and the access lists of pywb."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from armarium.access.policy.model import AddressMatch, Audience, Rule, RuleEffect, Terms
from armarium.access.policy.patterns import LONGEST
from armarium.access.rules import aclj
from armarium.access.rules.checks import LONGEST_NAME, LONGEST_TEXT, MOST_NAMED, checked
from armarium.accounts.model import Role
from armarium.core import clock
from armarium.core.errors import Refused
from armarium.core.invalid import in_words
from armarium.core.message import Message, message
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


MOST_TOLD = 5  # faults of a file
_GIVEN = TypeAdapter(list[RuleGiven])
_ONLY_SHOWN = (
    "id",
    "key",
    "state",
    "edition",
    "created_at",
    "created_by",
    "ended_at",
    "ended_by",
    "ended_why",
)


@dataclass(frozen=True)
class Remark:
    """About a line of the file, or the number of a rule in it."""

    line: int
    text: Message
    problem: bool = False  # nothing becomes of it


@dataclass(frozen=True)
class Read:
    terms: tuple[Terms, ...]
    remarks: tuple[Remark, ...]

    @property
    def problems(self) -> int:
        return sum(remark.problem for remark in self.remarks)


def read(text: str, users: Mapping[str, Audience] | None = None) -> Read:
    """JSON begins with a bracket; everything else is an access list of pywb."""
    return _read_json(text) if text.lstrip().startswith("[") else _read_aclj(text, users or {})


def _read_json(text: str) -> Read:
    try:
        rows = json.loads(text)
        given = _GIVEN.validate_python([_without_own(row) for row in rows])
    except ValidationError as bad:
        fault = " ".join(in_words(one) for one in bad.errors()[:MOST_TOLD])
        raise Refused(message("The file is no list of rules: %(fault)s", fault=fault)) from bad
    except ValueError as bad:
        raise Refused(message("The file is no list of rules: %(fault)s", fault=str(bad)[:500])) from bad
    terms, remarks = [], []
    for number, one in enumerate(given, 1):
        try:
            terms.append(checked(one.terms(), one.match))
        except Refused as refusal:
            remarks.append(Remark(number, refusal.message, problem=True))
    return Read(tuple(terms), tuple(remarks))


def _without_own(row: object) -> object:
    """What a rule was elsewhere, its number and its makers, does not come along."""
    if not isinstance(row, dict):
        return row
    return {name: value for name, value in row.items() if name not in _ONLY_SHOWN}


def _read_aclj(text: str, users: Mapping[str, Audience]) -> Read:
    terms: list[Terms] = []
    remarks: list[Remark] = []
    for line in aclj.read(text, users):
        terms += line.terms
        remarks += [Remark(line.number, remark) for remark in line.remarks]
        if line.problem is not None:
            remarks.append(Remark(line.number, line.problem, problem=True))
    return Read(tuple(terms), tuple(remarks))


def new_ones(terms: Iterable[Terms], known: Iterable[Rule]) -> list[Terms]:
    """Those that no rule says already: a file may be read twice."""
    said = {_mark(rule.terms) for rule in known}
    return [one for one in dict.fromkeys(terms) if _mark(one) not in said]


def _mark(terms: Terms) -> str:
    return json.dumps({**terms.described(), "key": terms.key}, sort_keys=True)


def as_json(rules: Iterable[Rule]) -> str:
    documents = [rule_shown(rule).model_dump(mode="json") for rule in rules]
    return json.dumps(documents, indent=2, ensure_ascii=False) + "\n"
