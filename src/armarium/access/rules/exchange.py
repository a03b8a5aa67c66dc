"""Rules from files and into files: our own JSON, which says all, and the access lists of pywb."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from armarium.access.policy.model import Audience, Rule, Terms
from armarium.access.rules import aclj
from armarium.access.rules.checks import checked
from armarium.access.rules.schemas import RuleGiven, rule_shown
from armarium.core.errors import Refused
from armarium.core.message import Message, message

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
    except (ValueError, ValidationError) as bad:
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
