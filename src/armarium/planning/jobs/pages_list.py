"""The list of all jobs, and what can be done with several of them at once."""

from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.languages.speech import number as spelled
from armarium.languages.speech import say, time_zone
from armarium.planning.jobs.contexts import shown_job
from armarium.planning.jobs.filters import job_filter
from armarium.planning.jobs.model import STATES_OF, Count, Done, JobFilter, Order, Slice
from armarium.planning.jobs.service import Jobs
from armarium.planning.labels import STATES
from armarium.planning.model import JobState
from armarium.web.forms import Form
from armarium.web.guard import Visitor, needs
from armarium.web.paging import PAGE_SIZE, number_in
from armarium.web.posted import PostedForm
from armarium.web.services import service
from armarium.web.shell import PageShell, done
from armarium.web.sign_in import inside

pages = APIRouter(prefix="/harvesting/jobs")

VIEW = [Depends(needs(Permission.PLANNING_VIEW))]
MANAGE = [Depends(needs(Permission.JOBS_MANAGE))]

JobsService = Annotated[Jobs, Depends(service(Jobs))]

ENDED = (JobState.DONE, JobState.FAILED, JobState.RESUBMITTED, JobState.REJECTED, JobState.CANCELLED)
TABS: Mapping[str, Message] = {
    "waiting": message("Waiting"),
    "running": message("Running"),
    **{state.value: STATES[state][0] for state in ENDED},
}
ORDERS: Mapping[Order, Message] = {
    Order.NEWEST: message("Newest first"),
    Order.OLDEST: message("Oldest first"),
    Order.ENDED: message("Ended last"),
    Order.OBJECTS: message("Most objects"),
    Order.BYTES: message("Most bytes"),
}
FILTERS = ("q", "harvest", "channel", "collector", "domain", "jobs", "from", "to", "order", "run")
Mark = Annotated[str, Query(max_length=100)]


@pages.get("", dependencies=VIEW)
def jobs_page(
    request: Request, visitor: Visitor, page: PageShell, jobs: JobsService, at: Mark = ""
) -> Response:
    given = {name: request.query_params.get(name, "") for name in (*FILTERS, "state")}
    wanted, problem = readable(given)
    found = jobs.page(wanted, mark=at, limit=PAGE_SIZE) if wanted else Slice([])
    context: dict[str, Any] = {
        "filter": given,
        "narrowed": any(given[name] for name in FILTERS if name != "order"),
        "tabs": tabs_of(given, jobs.counts()),
        "order_options": [(order.value, title) for order, title in ORDERS.items()],
        "jobs": [shown_job(row) for row in found.jobs],
        "total": how_many(jobs.count(wanted)) if wanted else "0",
        "forward": address(given, at=found.forward) if found.forward else "",
        "back": address(given, at=found.back) if found.back else "",
        "problem": problem,
        "may_change": visitor.may(Permission.JOBS_MANAGE),
    }
    if request.headers.get("x-part"):
        return page.part(request, "planning/jobs_rows.html", **context)
    return page.page(request, "planning/jobs_list.html", **context)


def readable(given: Mapping[str, str]) -> tuple[JobFilter | None, str]:
    """The question in the address, or what is wrong with it."""
    names = {name: value for name, value in given.items() if name not in ("from", "to", "run")}
    run = given["run"]
    try:
        number = number_in(run)
        wanted = job_filter(**names, since=given["from"], until=given["to"], run=number, zone=time_zone())
    except Refused as refusal:
        return None, say(refusal.message)
    return wanted, ""


def address(given: Mapping[str, str], **changed: str | None) -> str:
    kept = {name: value for name, value in {**given, **changed}.items() if value}
    return "/harvesting/jobs" + (f"?{urlencode(kept)}" if kept else "")


def tabs_of(given: Mapping[str, str], counts: Mapping[JobState, Count]) -> list[dict[str, Any]]:
    """One for each state; each keeps the other filters. The counts speak of all jobs."""
    first = {"label": message("All"), "href": address(given, state=None), "current": not given["state"]}
    rest = [
        {
            "label": say(message("%(state)s (%(count)s)", state=say(title), count=counted(counts, name))),
            "href": address(given, state=name),
            "current": given["state"] == name,
        }
        for name, title in TABS.items()
    ]
    return [first, *rest]


def counted(counts: Mapping[JobState, Count], name: str) -> str:
    of = [counts[state] for state in STATES_OF[name]]
    return how_many(Count(sum(one.number for one in of), any(one.more for one in of)))


def how_many(count: Count) -> str:
    return f"{spelled(count.number)}+" if count.more else spelled(count.number)


# Several at once --------------------------------------------------------------------------------------


@pages.post("/chosen", dependencies=MANAGE)
def change_chosen(request: Request, visitor: Visitor, form: PostedForm, jobs: JobsService) -> Response:
    """What was ticked in the list, or the one job whose page has the button."""
    href = inside(form.get("back")) if form.get("back") else "/harvesting/jobs"
    numbers = [number for text in form.chosen("job") if (number := number_in(text)) is not None]
    try:
        result = ordered(jobs, visitor, form, numbers)
    except Refused as refusal:
        return done(request, href, refusal.message, "bad")
    if len(numbers) == 1 and result.made:
        href = f"/harvesting/jobs/{result.made[0]}"
    return done(request, href, summary(form.get("do"), result), "good" if result.changed else "warning")


def ordered(jobs: Jobs, visitor: Visitor, form: Form, numbers: list[int]) -> Done:
    match form.get("do"):
        case "resubmit-original":
            return jobs.resubmit(visitor.actor, numbers)
        case "resubmit-current":
            return jobs.resubmit(visitor.actor, numbers, current=True)
        case "reject":
            return jobs.reject(visitor.actor, numbers, reason=form.get("reason").strip()[:500])
        case "restore":
            return jobs.restore(visitor.actor, numbers)
        case "cancel":
            return jobs.cancel(visitor.actor, numbers)
        case _:
            raise Refused(message("Choose what shall be done with the jobs."))


DONE: Mapping[str, Message] = {
    "resubmit-original": message("Resubmitted: %(count)s."),
    "resubmit-current": message("Resubmitted with the current settings: %(count)s."),
    "reject": message("Rejected: %(count)s."),
    "restore": message("Failed again, and free to be resubmitted: %(count)s."),
    "cancel": message("Cancelled: %(count)s."),
}


def summary(what: str, result: Done) -> Message:
    said = Message(DONE[what].template, {"count": len(result.changed)})
    if not result.left:
        return said
    left = message("Left as they were, because of their state: %(count)s.", count=len(result.left))
    return Message(f"{say(said)} {say(left)}")
