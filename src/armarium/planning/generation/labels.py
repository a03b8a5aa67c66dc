"""A plan as pages, API and commands show it, and what the audit log says of generation."""

from typing import Any

from armarium.core.message import Message, message
from armarium.languages.speech import number
from armarium.planning.generation.candidates import REASONS, LeftOut
from armarium.planning.generation.plan import HOUR, Before, Plan, PlannedJob
from armarium.planning.labels import SPLITS
from armarium.planning.model import Split
from armarium.web.plots.model import Plot, Series


def left_out(counts: dict[str, int]) -> list[tuple[Message, int]]:
    """Each reason with how many it kept out, the most first."""
    known = {reason.value: words for reason, words in REASONS.items()}
    found = [(known.get(name, Message(name)), count) for name, count in counts.items() if count]
    return sorted(found, key=lambda pair: -pair[1])


def splits(plan: Plan) -> list[tuple[Message, int]]:
    return sorted(
        ((SPLITS[Split(name)], count) for name, count in plan.splits.items()), key=lambda pair: -pair[1]
    )


def job_row(number: int, job: PlannedJob) -> dict[str, Any]:
    return {
        "number": number,
        "profile": job.profile,
        "configurations": job.configurations,
        "objects": job.objects,
        "smallest": job.smallest,
        "largest": job.largest,
        "bytes": job.bytes,
        "hours": job.seconds / HOUR,
        "why": SPLITS[job.split],
        "domains": list(job.domains),
        "others": job.configurations - len(job.domains),
    }


def plan_context(plan: Plan) -> dict[str, Any]:
    """What a template knows of a plan."""
    return {
        "made_at": plan.made_at,
        "job_count": plan.job_count,
        "configurations": plan.configurations,
        "objects": plan.objects,
        "bytes": plan.bytes,
        "hours": plan.seconds / HOUR,
        "jobs": [job_row(place, job) for place, job in enumerate(plan.jobs, start=1)],
        "more": plan.job_count - len(plan.jobs),
        "left_out": left_out(dict(plan.left_out)),
        "left_out_count": sum(plan.left_out.values()),
        "splits": splits(plan),
        "before": plan.before,
        "changes": changes(plan.before) if plan.before else {},
        "past": past_plot(plan),
        "likely": plan.likely,
    }


def past_plot(plan: Plan) -> Plot:
    """How good the estimates of the last runs were, the oldest first."""
    runs = plan.past[::-1]
    series = [
        Series(message("Brought"), [one.brought for one in runs]),
        Series(message("Expected"), [one.expected for one in runs], tone="second", line=True),
    ]
    labels = [message("Run %(number)s", number=one.number) for one in runs]
    return Plot("past", message("Expected and brought by the last runs"), labels, series)


def changes(before: Before) -> dict[str, Message]:
    """Beside the figures of the plan, those of the last run."""
    figures = {
        "jobs": before.jobs,
        "configurations": before.configurations,
        "objects": before.objects,
        "left_out": before.left_out,
    }
    return {name: message("last run: %(number)s", number=number(value)) for name, value in figures.items()}


def plan_facts(plan: Plan) -> dict[str, Any]:
    """For programs, and for people at a shell."""
    facts = plan.facts()
    facts["likely"] = plan.likely
    facts["crawler_hours"] = round(plan.seconds / HOUR, 1)
    facts["left_out"] = {reason.value: plan.left_out.get(reason.value, 0) for reason in LeftOut}
    for job, planned in zip(facts["jobs"], plan.jobs, strict=True):
        job["why"] = str(SPLITS[planned.split])
    return facts


ACTIONS: dict[str, Message] = {
    "harvest.generated": message("Jobs created"),
    "harvest.generation_failed": message("Jobs could not be created; harvest paused"),
    "harvest.plan_asked": message("Preview requested"),
    "job.remade": message("Job created again with current settings"),
}
WORDS: dict[str, Message] = {
    "jobs": message("Jobs"),
    "resubmission_of": message("Created again from job"),
    "trouble": message("What went wrong"),
}
