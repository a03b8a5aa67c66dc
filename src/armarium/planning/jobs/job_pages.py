"""The page of one job: how it is, what it was to do, what it collected."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import Depends, Query
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core import clock
from armarium.core.message import Message, message
from armarium.planning.audit_history import history_of
from armarium.planning.jobs import figures
from armarium.planning.jobs.attention import concerns, concerns_after
from armarium.planning.jobs.contexts import shown_command, shown_job, shown_progress, shown_reasons
from armarium.planning.jobs.model import Attempt, ConfigurationRow, JobRow, ProfileUsed, RunningJob
from armarium.planning.jobs.pages import ADDRESS, MANAGE, VIEW, JobsService, SteeringService
from armarium.planning.jobs.service import JobAfter, JobDetails, Jobs, topic_of
from armarium.planning.jobs.steering import DOMAIN, EVERYWHERE, Steering
from armarium.planning.labels import (
    ARRIVALS,
    ENDS,
    FILE_KINDS,
    OUTCOMES,
    QUEUE_STATES,
    REASONS,
    SEED_FAULTS,
    in_words,
    reason_title,
    with_tone,
)
from armarium.planning.model import is_over
from armarium.planning.orders import as_toml
from armarium.planning.profiles.rules import differences
from armarium.web.forms import Form, filled
from armarium.web.pages import Page, PageRequest
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, offset_of
from armarium.web.plots.model import Drawable
from armarium.web.posted import PostedForm
from armarium.web.routes import Router
from armarium.web.services import service

pages = Router(prefix=f"{ADDRESS}/{{number}}")

DetailsService = Annotated[JobDetails, Depends(service(JobDetails))]
COMMANDS_SHOWN = 20
MOST_DOMAINS = 5  # the largest; a page of their own has all
FORMS = ("filter", "budget", "log")
SAVES = (
    ("", message("This job only")),
    (DOMAIN, message("This job, and later ones for the domain")),
    (EVERYWHERE, message("This job, and later ones for all domains")),
)
TABS = {
    "": message("Overview"),
    "/configurations": message("Domains"),
    "/seeds": message("Seeds"),
    "/order": message("Crawl settings"),
    "/files": message("Files"),
    "/by-catch": message("Other sites collected"),
}


def frame(page: PageRequest, row: JobRow, current: str) -> dict[str, Any]:
    """What every page about a job has: its heading, its tabs, its buttons."""
    here = f"{ADDRESS}/{row.id}"
    return {
        "job": shown_job(row),
        "tabs": [
            {"label": title, "href": here + path, "current": path == current} for path, title in TABS.items()
        ],
        "topics": f"jobs {topic_of(row.id)}",
        "may_change": page.may(Permission.JOBS_MANAGE),
    }


@pages.get("", dependencies=VIEW)
def job_page(
    page: Page,
    number: Number,
    jobs: JobsService,
    details: DetailsService,
    steering: SteeringService,
    queue: Annotated[str, Query(max_length=300)] = "",
) -> Response:
    """The whole page; its live parts are fetched one by one, each as often as what it shows changes."""
    jobs.watch(number)
    found = jobs.get(number)
    if page.is_part:
        now = now_of(page, found, jobs, details.after(found.job))
        return page.part("planning/jobs_now_part.html", **now)
    forms = {"budget": filled(queue=queue)} if queue else {}
    return show_job(page, found, jobs, details, steering, forms)


def show_job(
    page: PageRequest,
    found: RunningJob,
    jobs: Jobs,
    details: JobDetails,
    steering: Steering,
    forms: Mapping[str, Form],
) -> Response:
    after = details.after(found.job)
    context = {
        **now_of(page, found, jobs, after),
        **figures_of(found, details, after),
        **more_of(page, found, details, steering),
        "forms": {name: named(name, forms.get(name)) for name in FORMS},
        "opened": next(iter(forms), ""),
    }
    return page.show("planning/jobs_show.html", **context)


def named(name: str, form: Form | None) -> Form:
    """Three forms share the page: their fields must not share ids."""
    form = form or Form()
    form.id = name
    return form


def now_of(page: PageRequest, found: RunningJob, jobs: Jobs, after: JobAfter) -> dict[str, Any]:
    """How it is: its state, how far it is, what needs eyes, what can be done."""
    row = found.job
    return {
        **frame(page, row, ""),
        "progress": shown_progress(found),
        "why": jobs.why_waiting(row),
        "outcome": in_words(OUTCOMES, row.outcome),
        "concerns": [*concerns(found, clock.now()), *concerns_after(row, after.reasons, after.resubmissions)],
    }


def figures_of(found: RunningJob, details: JobDetails, after: JobAfter) -> dict[str, Any]:
    row = found.job
    shares = figures.shares(found.status)
    samples = details.samples(row.id)
    curves: list[Drawable] = [*figures.speed(samples)] if samples else []
    if not is_over(row.state):
        # How fast it is, what is left, and how servers answer: one row. What comes in has time.
        return {"plots": [*curves[::2], *shares[:1]], "more": [*curves[1:2], *shares[1:]]}
    if len(after.reasons) > 1:  # one for all is in the table
        shares.append(figures.ends(after.reasons, f"{ADDRESS}/{row.id}/configurations"))
    return {"plots": shares, "more": curves}  # nobody watches its curves any more


@pages.get("/figures", dependencies=VIEW)
def figures_part(page: Page, number: Number, jobs: JobsService, details: DetailsService) -> Response:
    found = jobs.get(number)
    drawn = figures_of(found, details, details.after(found.job))
    return page.part("planning/jobs_figures_part.html", **drawn)


def more_of(page: PageRequest, found: RunningJob, details: JobDetails, steering: Steering) -> dict[str, Any]:
    row = found.job
    around = details.around(row)
    return {
        **frame(page, row, ""),
        "progress": shown_progress(found),
        "queue_states": lambda state: in_words(QUEUE_STATES, str(state)),
        "commands": [shown_command(one) for one in steering.commands(row.id, COMMANDS_SHOWN)],
        "attempts": [shown_attempt(one) for one in around.attempts],
        "profile": shown_profile(around.profile),
        "domains": shown_domains(details.largest(row.id, MOST_DOMAINS)) if is_over(row.state) else [],
        "history": history_of(page.request, page.shell, "job", row.id),
        "save_options": SAVES,
        "only_domain": steering.only_domain(row.id),
    }


@pages.get("/more", dependencies=VIEW)
def more_part(
    page: Page, number: Number, jobs: JobsService, details: DetailsService, steering: SteeringService
) -> Response:
    return page.part("planning/jobs_more_part.html", **more_of(page, jobs.get(number), details, steering))


def shown_domains(rows: Sequence[ConfigurationRow]) -> list[dict[str, Any]]:
    return [{**vars(one), "reason": reason_title(one.stop_reason), "seeds": shown_seeds(one)} for one in rows]


def shown_attempt(attempt: Attempt) -> dict[str, Any]:
    title, tone = with_tone(ENDS, attempt.end)
    return {**vars(attempt), "label": title, "tone": tone}


def shown_profile(used: ProfileUsed) -> dict[str, Any]:
    """The version used, and in what the newest differs from it."""
    found = differences(used.document, used.newest_document) if used.version != used.newest else []
    changes = [{"key": one.key, "before": _told(one.before), "after": _told(one.after)} for one in found]
    return {**vars(used), "changes": changes}


def _told(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False) if value != "" else "“”"


def shown_seeds(one: ConfigurationRow) -> list[dict[str, Any]]:
    """The seeds with which something is wrong."""
    return [{**seed, "verdict": in_words(SEED_FAULTS, str(seed["verdict"]))} for seed in one.seeds]


@pages.post("/priority", dependencies=MANAGE)
def change_priority(page: Page, number: Number, form: PostedForm, jobs: JobsService) -> Response:
    jobs.get(number)  # one that is not there has no page to go back to

    def changed() -> Message:
        text = form.get("priority").strip()
        priority = int(text) if text.removeprefix("-").isdecimal() and len(text) < 10 else 10**9
        jobs.set_priority(page.actor, number, priority)
        return message("Priority of job %(number)s set to %(priority)s.", number=number, priority=priority)

    return page.attempt(f"{ADDRESS}/{number}", changed)


# What it was to do, and what came of it -----------------------------------------------------------------


@pages.get("/configurations", dependencies=VIEW)
def configurations_page(
    page: Page,
    number: Number,
    jobs: JobsService,
    details: DetailsService,
    reason: str = "",
    at: PageNumber = 1,
) -> Response:
    row = jobs.get(number).job
    chosen = reason if reason in REASONS or reason == "none" else ""
    found, counted = details.configurations(number, reason=chosen, limit=PAGE_SIZE, offset=offset_of(at))
    total = counted.get("" if chosen == "none" else chosen, 0) if chosen else sum(counted.values())
    return page.show(
        "planning/jobs_configurations.html",
        **frame(page, row, "/configurations"),
        configurations=shown_domains(found),
        reasons=shown_reasons(counted, f"{ADDRESS}/{number}/configurations"),
        reason=chosen,
        all=sum(counted.values()),
        page=page.paging(at, total),
    )


@pages.get("/by-catch", dependencies=VIEW)
def by_catch_page(
    page: Page, number: Number, jobs: JobsService, details: DetailsService, at: PageNumber = 1
) -> Response:
    row = jobs.get(number).job
    found, (domains, objects, volume) = details.by_catch(number, limit=PAGE_SIZE, offset=offset_of(at))
    return page.show(
        "planning/jobs_by_catch.html",
        **frame(page, row, "/by-catch"),
        domains=found,
        total={"domains": domains, "objects": objects, "bytes": volume},
        page=page.paging(at, domains),
    )


@pages.get("/files", dependencies=VIEW)
def files_page(
    page: Page, number: Number, jobs: JobsService, details: DetailsService, at: PageNumber = 1
) -> Response:
    row = jobs.get(number).job
    found, (count, size) = details.files(number, limit=PAGE_SIZE, offset=offset_of(at))
    files = [
        {**vars(one), "label": with_tone(ARRIVALS, one.state)[0], "tone": with_tone(ARRIVALS, one.state)[1]}
        | {"kind": in_words(FILE_KINDS, one.kind)}
        for one in found
    ]
    return page.live(
        "planning/jobs_files.html",
        "planning/jobs_files_part.html",
        **frame(page, row, "/files"),
        files=files,
        total={"files": count, "size": size},
        page=page.paging(at, count),
    )


@pages.get("/seeds", dependencies=VIEW)
def seeds_page(page: Page, number: Number, jobs: JobsService, at: PageNumber = 1) -> Response:
    row, seeds = jobs.get(number).job, jobs.seeds(number)
    start = offset_of(at)
    return page.show(
        "planning/jobs_seeds.html",
        **frame(page, row, "/seeds"),
        seeds=seeds[start : start + PAGE_SIZE],
        total=len(seeds),
        page=page.paging(at, len(seeds)),
    )


@pages.get("/seeds.txt", dependencies=VIEW)
def seeds_file(number: Number, jobs: JobsService) -> Response:
    return download(seeds_text(number, jobs.seeds(number)), f"job-{number}-seeds.txt", "text/plain")


def seeds_text(number: int, seeds: Sequence[tuple[str, str]]) -> str:
    """One seed a line, below a head by which a reader can check that all of them came."""
    lines = "".join(f"{url}\n" for url, _ in seeds)
    checksum = hashlib.sha256(lines.encode()).hexdigest()
    head = [
        f"# Seeds of job {number}",
        f"# count: {len(seeds)}",
        f"# written: {clock.now().isoformat(timespec='seconds')}",
        f"# sha256 of the lines below: {checksum}",
    ]
    return "\n".join(head) + "\n" + lines


@pages.get("/order", dependencies=VIEW)
def order_page(page: Page, number: Number, jobs: JobsService) -> Response:
    row, order = jobs.get(number).job, jobs.order(number)
    budgets = order.get("limits", {}).pop("sources", {})
    traps = order.get("scope", {}).pop("traps", {})
    return page.show(
        "planning/jobs_order.html",
        **frame(page, row, "/order"),
        order=as_toml(order),
        budgets=len(budgets),
        traps=len(traps),
    )


@pages.get("/order.json", dependencies=VIEW)
def order_json(number: Number, jobs: JobsService) -> Response:
    text = json.dumps(jobs.order(number), indent=2, ensure_ascii=False) + "\n"
    return download(text, f"job-{number}-order.json", "application/json")


@pages.get("/order.toml", dependencies=VIEW)
def order_toml(number: Number, jobs: JobsService) -> Response:
    return download(as_toml(jobs.order(number)), f"job-{number}-order.toml", "application/toml")


def download(text: str, name: str, kind: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type=f"{kind}; charset=utf-8", headers=headers)
