"""The list of all jobs, and what can be done with several of them at once."""

from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends, Query
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
from armarium.web.pages import Page, PageRequest, guarded
from armarium.web.paging import PAGE_SIZE, number_in
from armarium.web.posted import PostedForm
from armarium.web.routes import Router
from armarium.web.services import service
from armarium.web.sign_in import inside

ADDRESS = "/harvesting/jobs"
pages = Router(prefix=ADDRESS)

VIEW, MANAGE = guarded(Permission.PLANNING_VIEW), guarded(Permission.JOBS_MANAGE)
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
def jobs_page(page: Page, jobs: JobsService, at: Mark = "") -> Response:
    given = {name: page.request.query_params.get(name, "") for name in (*FILTERS, "state")}
    wanted, problem = readable(given)
    found = jobs.page(wanted, mark=at, limit=PAGE_SIZE) if wanted else Slice([])
    return page.live(
        "planning/jobs_list.html",
        "planning/jobs_rows.html",
        filter=given,
        narrowed=any(given[name] for name in FILTERS if name != "order"),
        tabs=tabs_of(given, jobs.counts()),
        order_options=[(order.value, title) for order, title in ORDERS.items()],
        jobs=[shown_job(row) for row in found.jobs],
        total=how_many(jobs.count(wanted)) if wanted else "0",
        forward=address(given, at=found.forward) if found.forward else "",
        back=address(given, at=found.back) if found.back else "",
        problem=problem,
        may_change=page.may(Permission.JOBS_MANAGE),
    )


def readable(given: Mapping[str, str]) -> tuple[JobFilter | None, str]:
    """The question in the address, or what is wrong with it."""
    names = {name: value for name, value in given.items() if name not in ("from", "to", "run")}
    days = {"since": given["from"], "until": given["to"], "zone": time_zone()}
    try:
        return job_filter(**names, **days, run=number_in(given["run"])), ""
    except Refused as refusal:
        return None, say(refusal.message)


def address(given: Mapping[str, str], **changed: str | None) -> str:
    kept = {name: value for name, value in {**given, **changed}.items() if value}
    return ADDRESS + (f"?{urlencode(kept)}" if kept else "")


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
def change_chosen(page: Page, form: PostedForm, jobs: JobsService) -> Response:
    """What was ticked in the list, or the one job whose page has the button."""
    href = inside(form.get("back")) if form.get("back") else ADDRESS
    numbers = [number for text in form.chosen("job") if (number := number_in(text)) is not None]
    try:
        result = ordered(page, jobs, form, numbers)
    except Refused as refusal:
        return page.done(href, refusal.message, "bad")
    if len(numbers) == 1 and result.made:
        href = f"{ADDRESS}/{result.made[0]}"
    return page.done(href, summary(form.get("do"), result), "good" if result.changed else "warning")


def ordered(page: PageRequest, jobs: Jobs, form: Form, numbers: list[int]) -> Done:
    match form.get("do"):
        case "resubmit-original":
            return jobs.resubmit(page.actor, numbers)
        case "resubmit-current":
            return jobs.resubmit(page.actor, numbers, current=True)
        case "reject":
            return jobs.reject(page.actor, numbers, reason=form.get("reason").strip()[:500])
        case "restore":
            return jobs.restore(page.actor, numbers)
        case "cancel":
            return jobs.cancel(page.actor, numbers)
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
