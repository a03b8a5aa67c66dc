"""A finding, what a job tells of a record, and what is to be said of it, with its words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.languages.speech import byte_size, number, say
from armarium.selection.collections.model import Collection, Matrix
from armarium.selection.collections.rules import impossible
from armarium.selection.model import BUDGETS, Budget, Combination, lines
from armarium.selection.records.model import Record


class Kind(StrEnum):
    OBSERVATION = "observation"  # of a person; the others are made by harvests
    NOTHING = "nothing"  # not one object was collected
    OBJECT_LIMIT = "object-limit"
    BYTE_LIMIT = "byte-limit"
    BLOCKED = "blocked"  # the server refused further requests, or all of them
    DEAD = "dead"  # the server has no such page any more
    MOVED = "moved"  # a seed leads to another site
    EMPTY = "empty"  # a page without a single byte
    UNREACHABLE = "unreachable"  # no server answered


@dataclass(frozen=True)
class Result:
    """What one job brought for one configuration."""

    configuration: int
    job: int
    at: datetime
    objects: int
    bytes: int
    stop: str  # in planning's words
    max_objects: int | None
    max_bytes: int | None
    seeds: Sequence[Mapping[str, Any]] = ()  # with which something is wrong: url, verdict, status, redirect


@dataclass(frozen=True)
class Observed:
    """What a result gives reason to say."""

    kind: Kind
    budget: Budget | None = None  # that is proposed
    seeds: Sequence[Mapping[str, Any]] = ()  # of which it is said


@dataclass(frozen=True)
class Finding:
    id: int
    record: int
    record_name: str
    collection: int
    collection_name: str
    at: datetime
    author: str
    kind: Kind
    text: str
    proposal: str
    budget: Budget | None
    job: int | None
    facts: Mapping[str, Any]
    done: bool
    closed_at: datetime | None
    closed_by: str


# What is to be said of a harvest’s result


LONGEST = 10_000
#: Planning's stop reasons. Those with "configuration" are the record's own budget; others, the harvest's.
BY_OBJECTS = {"object-limit", "configuration-object-limit"}
BY_BYTES = {"size-limit", "configuration-size-limit"}
BY_BUDGET = {"configuration-object-limit", "configuration-size-limit"}
#: Verdicts over seeds, which are stop reasons where they hold for all of them.
SEED_KINDS: Mapping[str, Kind] = {
    kind.value: kind for kind in (Kind.DEAD, Kind.MOVED, Kind.BLOCKED, Kind.EMPTY, Kind.UNREACHABLE)
}


def observed(result: Result, record: Record, collection: Collection, matrix: Matrix) -> list[Observed]:
    """What the result gives reason to say of the record; nothing: all is well."""
    seeds = of_seeds(result)
    said = {one.kind for one in seeds}
    if result.stop in SEED_KINDS and SEED_KINDS[result.stop] not in said:
        seeds.append(Observed(SEED_KINDS[result.stop]))
    if not result.objects:
        return seeds or [Observed(Kind.NOTHING)]
    larger = larger_budget(record, collection, matrix) if result.stop in BY_BUDGET else None
    if result.stop in BY_OBJECTS:
        return [Observed(Kind.OBJECT_LIMIT, larger), *seeds]
    if result.stop in BY_BYTES:
        return [Observed(Kind.BYTE_LIMIT, larger), *seeds]
    return seeds


def of_seeds(result: Result) -> list[Observed]:
    """What is to be said of the record's addresses themselves, each thing once."""
    by_kind: dict[Kind, list[Mapping[str, Any]]] = {}
    for seed in result.seeds:
        if seed["verdict"] in SEED_KINDS:
            by_kind.setdefault(SEED_KINDS[seed["verdict"]], []).append(seed)
    return [Observed(kind, seeds=seeds) for kind, seeds in by_kind.items()]


def larger_budget(record: Record, collection: Collection, matrix: Matrix) -> Budget | None:
    """The next larger one that may be chosen with the record's frequency and depth."""
    budgets = list(Budget)
    for budget in budgets[budgets.index(record.budget) + 1 :]:
        if impossible(collection, matrix, Combination(budget, record.frequency, record.depth)) is None:
            return budget
    return None


def checked_text(text: str, field: str, *, required: bool = False) -> str:
    text = lines(text)
    if len(text) > LONGEST or (required and not text):
        raise Refused(message("Write 1 to %(most)s characters.", most=LONGEST), field=field)
    return text


KINDS: Mapping[Kind, Message] = {
    Kind.OBSERVATION: message("Observation"),
    Kind.NOTHING: message("Nothing collected"),
    Kind.OBJECT_LIMIT: message("Stopped by the limit of objects"),
    Kind.BYTE_LIMIT: message("Stopped by the limit of bytes"),
    Kind.BLOCKED: message("Blocked by the server"),
    Kind.DEAD: message("Dead address"),
    Kind.MOVED: message("Moved to another site"),
    Kind.EMPTY: message("Empty page"),
    Kind.UNREACHABLE: message("Server not reachable"),
}
STOPS: Mapping[str, Message] = {
    "complete": message("Complete"),
    "object-limit": message("Limit of objects of the harvest"),
    "size-limit": message("Limit of bytes of the harvest"),
    "configuration-object-limit": message("Limit of objects of its budget"),
    "configuration-size-limit": message("Limit of bytes of its budget"),
    "time-limit": message("Limit of time of the job"),
    "total-budget": message("Total budget of the harvest"),
    "unfinished": message("The job was ended before it was complete"),
    "unreachable": message("No server answered"),
    "blocked": message("The server refused further requests"),
    "dead": message("The server has no such page"),
    "empty": message("The page is empty"),
}

ACTIONS: dict[str, Message] = {
    "record.finding_added": message("Finding about a record"),
    "record.finding_closed": message("Finding closed"),
}
WORDS: dict[str, Message] = {
    "finding": message("Finding"),
    "proposal": message("Proposal"),
}


#: What is said of seeds; those it is said of stand behind it.
OF_SEEDS: Mapping[Kind, Message] = {
    Kind.DEAD: message("The server has no such page"),
    Kind.MOVED: message("It leads to another site"),
    Kind.BLOCKED: message("The server, or its robots.txt, keeps us out"),
    Kind.EMPTY: message("The page is empty"),
    Kind.UNREACHABLE: message("No server answered"),
}


def stop_in_words(stop: str) -> Message:
    return STOPS.get(stop) or Message(stop)


def text_of(finding: Finding) -> str:
    """What is said, in the reader's language; a person's words as they are."""
    facts = finding.facts
    if finding.kind in OF_SEEDS and (seeds := facts.get("seeds")):
        said = say(OF_SEEDS[finding.kind])
        named = ", ".join(map(_seed, seeds))
        return say(message("%(said)s, in job %(job)s: %(seeds)s", said=said, job=finding.job, seeds=named))
    match finding.kind:
        case Kind.OBSERVATION:
            return finding.text
        case Kind.NOTHING:
            stop = say(stop_in_words(str(facts.get("stop", ""))))
            return say(message("Job %(job)s collected nothing: %(stop)s.", job=finding.job, stop=stop))
        case Kind.DEAD | Kind.EMPTY | Kind.UNREACHABLE | Kind.MOVED:
            said = say(OF_SEEDS[finding.kind])
            return say(message("%(said)s, in job %(job)s.", said=said, job=finding.job))
        case Kind.BLOCKED:
            return say(
                message(
                    "The server refused further requests in job %(job)s. Objects until then: %(objects)s.",
                    objects=number(facts.get("objects") or 0),
                    job=finding.job,
                )
            )
    stop = say(stop_in_words(str(facts.get("stop", ""))))
    return say(
        message(
            "Job %(job)s stopped, and there was more: %(stop)s. Objects until then: %(objects)s (%(bytes)s).",
            job=finding.job,
            objects=number(facts.get("objects") or 0),
            bytes=byte_size(facts.get("bytes") or 0),
            stop=stop,
        )
    )


def _seed(seed: Mapping[str, Any]) -> str:
    """http://a.example/ → http://b.example/ (404)"""
    way = f"{seed['url']} → {seed['redirect']}" if seed.get("redirect") else str(seed["url"])
    return f"{way} ({seed['status']})" if seed.get("status", 0) > 0 else way


def proposal_of(finding: Finding) -> str:
    if finding.budget is not None:
        return say(message("Give it the budget “%(budget)s”.", budget=say(BUDGETS[finding.budget])))
    match finding.kind:
        case Kind.NOTHING | Kind.DEAD | Kind.EMPTY | Kind.UNREACHABLE:
            return say(message("Check the address; correct it, or set the record inactive."))
        case Kind.MOVED:
            return say(message("See where it leads now, and correct the address."))
        case Kind.OBJECT_LIMIT | Kind.BYTE_LIMIT:
            return say(message("No larger budget may be chosen here: ask a curator, or choose less depth."))
        case Kind.BLOCKED:
            return say(message("Ask the owner of the site, or tell those who run the crawlers."))
    return finding.proposal
