"""One harvest: how it is, what it is set to, what was changed, and the buttons that run or pause it."""

from collections.abc import Sequence
from typing import Any

from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.core.services import Services
from armarium.languages.speech import say
from armarium.planning.audit_history import history_of
from armarium.planning.fields.service import ExtendedFields
from armarium.planning.harvests.figures import DRAWN, expected_next, failures, plots_of, result_of
from armarium.planning.harvests.labels import shown_harvest, shown_run
from armarium.planning.harvests.members import HarvestDomains
from armarium.planning.harvests.model import Doubt, Harvest, Run
from armarium.planning.harvests.pages import ADDRESS, EDIT, VIEW, HarvestsService
from armarium.planning.harvests.service import Harvests
from armarium.planning.labels import MISSED
from armarium.planning.model import HarvestKind
from armarium.planning.schedules.model import in_words
from armarium.web.pages import Page, PageRequest
from armarium.web.paging import Number
from armarium.web.routes import Router

pages = Router(prefix=f"{ADDRESS}/{{number}}")

RUNS_SHOWN = 4


@pages.get("", dependencies=VIEW)
def harvest_page(page: Page, number: Number, harvests: HarvestsService) -> Response:
    harvest = harvests.get(number)
    address = f"{ADDRESS}/{number}"
    runs, total = harvests.runs(number, limit=DRAWN)
    begun = [run for run in reversed(runs) if run.number is not None]
    under_way = harvests.under_way(number)
    doubts = [] if harvest.active else harvests.doubts(number)
    return page.show(
        "planning/harvests_one.html",
        **about(page, harvest),
        runs=[shown_run(run) for run in runs[:RUNS_SHOWN]],
        runs_total=total,
        latest=begun[-1] if begun else None,
        result=result_of(begun[-1]) if begun else [],
        expected=expected_next(begun),
        plots=plots_of(begun, address) if begun else [],
        attention=attention(harvest, begun, under_way, doubts),
        ready=not any(doubt.prevents for doubt in doubts),
    )


def about(page: PageRequest, harvest: Harvest) -> dict[str, Any]:
    """What all tabs of a harvest show above their own."""
    services: Services = page.request.app.state.services
    choices = services.get(Harvests).choices(harvest.id)
    schedule = next((one for one in choices.schedules if one.id == harvest.schedule), None)
    default = next((name for _, name, kinds in choices.channels if harvest.kind.value in kinds.split()), "")
    named = next((name for id_, name, _ in choices.channels if id_ == harvest.channel), None)
    return {
        "harvest": shown_harvest(harvest),
        "schedule": schedule,
        "rhythm": in_words(schedule) if schedule else None,
        "channel": named or default,
        "domains": services.get(HarvestDomains).count(harvest.id),
        "may_change": page.may(Permission.PLANNING_EDIT),
    }


def attention(
    harvest: Harvest, runs: Sequence[Run], under_way: Sequence[int], doubts: Sequence[Doubt]
) -> list[dict[str, Any]]:
    """What needs a person: of the harvest, of its last run, and before it can be activated."""
    shown, found = shown_harvest(harvest), list[dict[str, Any]]()
    if shown["trouble"] and not harvest.active:
        found.append({"text": say(shown["trouble"]), "tone": "bad"})
    if len(under_way) > 1:
        text = message(
            "Several runs are under way at once: %(runs)s. A run starts when it is due, even if the one "
            "before has not ended.",
            runs=", ".join(map(str, under_way)),
        )
        found.append({"text": text})
    if harvest.active and harvest.paused:
        href = f"/planning/schedules/{harvest.schedule}"
        text = message("Its schedule is paused, so nothing is due until the schedule is resumed.")
        found.append({"text": text, "href": href, "label": message("Open the schedule")})
    elif shown["catching_up"]:
        text = message(
            "Missed dates are caught up one after the other: the next run starts when the jobs of earlier "
            "runs have ended."
        )
        found.append({"text": text, "tone": "busy"})
    if runs:
        found += _of_run(runs[-1])
    # A broad harvest that has begun is not activated again: no need to say what is against it.
    begun = harvest.kind is HarvestKind.BROAD and harvest.runs > 0
    return found + [_doubt(one) for one in doubts if not (begun and one.prevents)]


def _of_run(run: Run) -> list[dict[str, Any]]:
    href = f"{ADDRESS}/{run.harvest}/runs/{run.number}"
    if run.error:
        return [{"text": run.error, "tone": "bad", "href": href, "label": message("Open the run")}]
    if run.failed:
        return [{"text": failures(run.failed), "tone": "bad", "href": href, "label": message("See the jobs")}]
    return []


def _doubt(doubt: Doubt) -> dict[str, Any]:
    before = message("Before you can activate it: %(reason)s", reason=say(doubt.text))
    return {"text": before if doubt.prevents else doubt.text}


@pages.get("/settings", dependencies=VIEW)
def settings_page(page: Page, number: Number, harvests: HarvestsService) -> Response:
    harvest = harvests.get(number)
    services: Services = page.request.app.state.services
    return page.show(
        "planning/harvests_settings.html",
        **about(page, harvest),
        definition=harvest,
        missed=MISSED[harvest.missed],
        previous=harvests.get(harvest.previous) if harvest.previous else None,
        fields=services.get(ExtendedFields).of("harvest"),
    )


@pages.get("/changes", dependencies=VIEW)
def changes_page(page: Page, number: Number, harvests: HarvestsService) -> Response:
    harvest = harvests.get(number)
    history = history_of(page.request, page.shell, "harvest", number)
    return page.show("planning/harvests_changes.html", **about(page, harvest), history=history)


# Buttons --------------------------------------------------------------------------------------------


@pages.post("/activate", dependencies=EDIT)
def activate_harvest(page: Page, number: Number, harvests: HarvestsService) -> Response:
    before = harvests.get(number)

    def activated() -> Message:
        after = harvests.activate(page.actor, number)
        if after.runs > before.runs:
            return message("The harvest %(name)s has started.", name=after.name)
        return message("The harvest %(name)s is active.", name=after.name)

    return page.attempt(f"{ADDRESS}/{number}", activated)


@pages.post("/deactivate", dependencies=EDIT)
def pause_harvest(page: Page, number: Number, harvests: HarvestsService) -> Response:
    after = harvests.deactivate(page.actor, number)
    text = message("The harvest %(name)s is paused. Jobs that already exist go on.", name=after.name)
    return page.done(f"{ADDRESS}/{number}", text)


@pages.post("/run", dependencies=EDIT)
def run_harvest(page: Page, number: Number, harvests: HarvestsService) -> Response:
    href = f"{ADDRESS}/{number}"
    try:
        run = harvests.run_now(page.actor, number)
    except Refused as refusal:
        return page.done(href, refusal.message, "bad")
    return page.done(f"{href}/runs/{run}", message("Run %(run)s has started.", run=run))
