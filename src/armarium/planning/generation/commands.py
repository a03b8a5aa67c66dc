"""`armarium plan harvests preview` and `generate`."""

from typing import Annotated, Any

import typer

from armarium.core.services import Services
from armarium.planning.generation.candidates import REASONS, LeftOut
from armarium.planning.generation.labels import plan_facts
from armarium.planning.generation.plan import HOUR, Plan
from armarium.planning.generation.previews import Previews, begin
from armarium.planning.generation.service import Generator
from armarium.planning.harvests.model import Harvest
from armarium.planning.harvests.service import Harvests
from armarium.planning.labels import SPLITS
from armarium.terminal.output import say, show_facts, show_json, show_table
from armarium.terminal.session import Json, operator, session

Name = Annotated[str, typer.Argument(metavar="HARVEST", help="Name or number of the harvest.")]
SHOWN = 50


def harvest_of(services: Services, name: str) -> Harvest:
    harvests = services.get(Harvests)
    return harvests.get(int(name)) if name.isdecimal() else harvests.named(name)


def preview_harvest(
    context: typer.Context,
    harvest: Name,
    jobs: Annotated[int, typer.Option(min=0, help="How many jobs are listed, at most.")] = SHOWN,
    as_json: Json = False,
) -> None:
    """Show which jobs a harvest would make now, and why these. Nothing is made."""
    with session(context).services() as services:
        number = harvest_of(services, harvest).id
        plan = services.get(Generator).preview(number, most_jobs=jobs)
    if as_json:
        return show_json({"harvest": number, **plan_facts(plan)})
    return show_plan(plan)


def show_plan(plan: Plan) -> None:
    columns = ("Job", "Profile", "Domains", "Objects", "Smallest", "Largest", "Hours", "Why it has no more")
    rows = (
        (
            number,
            job.profile,
            job.configurations,
            job.objects,
            job.smallest,
            job.largest,
            f"{job.seconds / HOUR:.1f}",
            str(SPLITS[job.split]),
        )
        for number, job in enumerate(plan.jobs, start=1)
    )
    show_table(columns, rows, empty="No job would be made.")
    facts: dict[str, Any] = {
        "jobs": plan.job_count,
        "domains": plan.configurations,
        "objects": plan.objects,
        "bytes": plan.bytes,
        "crawler hours": f"{plan.seconds / HOUR:.1f}",
    }
    if plan.before:
        facts["last run"] = f"{plan.before.jobs} jobs, {plan.before.objects} objects"
    show_facts(facts)
    for name, count in plan.left_out.items():
        say(f"left out: {count}  {REASONS[LeftOut(name)]}")


def generate_jobs(
    context: typer.Context,
    harvest: Name,
    as_json: Json = False,
) -> None:
    """Create the jobs of a harvest now; a broad harvest is activated. A worker makes them."""
    with session(context).services() as services:
        found = harvest_of(services, harvest)
        begin(services.get(Harvests), operator(), found.id)
        progress = services.get(Previews).progress(found.id)
    if as_json:
        return show_json({"harvest": found.id, "run": progress.run if progress else None})
    return say(f"The jobs of the harvest {found.name} are being made.")
