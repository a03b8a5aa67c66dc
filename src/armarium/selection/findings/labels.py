"""Findings in words, and planning's reasons why a harvest stopped."""

from collections.abc import Mapping
from typing import Any

from armarium.core.message import Message, message
from armarium.languages.speech import byte_size, number, say
from armarium.selection.findings.model import Finding, Kind
from armarium.selection.model import BUDGETS

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
            return say(message("Look where it leads now, and enter the address that is meant."))
        case Kind.OBJECT_LIMIT | Kind.BYTE_LIMIT:
            return say(message("No larger budget may be chosen here: ask a curator, or choose less depth."))
        case Kind.BLOCKED:
            return say(message("Ask the owner of the site, or tell those who run the crawlers."))
    return finding.proposal
