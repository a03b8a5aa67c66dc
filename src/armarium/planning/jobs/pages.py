"""The list of all jobs, and what can be done with several of them at once."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends, Query
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.languages.speech import number as spelled
from armarium.languages.speech import say, time_zone
from armarium.planning.jobs.contexts import NORMAL, shown_job
from armarium.planning.jobs.filters import job_filter
from armarium.planning.jobs.model import STATES_OF, Count, Done, Hurry, JobFilter, JobRow, Order, Slice
from armarium.planning.jobs.service import Jobs
from armarium.planning.jobs.steering import Steering
from armarium.planning.labels import STATES
from armarium.planning.model import JobState, is_over
from armarium.web.forms import Form
from armarium.web.lists import Column, Columns, csv_answer
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
SteeringService = Annotated[Steering, Depends(service(Steering))]

#: What the list can be narrowed to; several states of a job under one word.
CHOICES: Mapping[str, Message] = {
    "waiting": message("Waiting"),
    "running": message("Running"),
    **{state.value: STATES[state][0] for state in JobState if is_over(state)},
}
HURRIES = (
    (Hurry.HIGH, message("High")),
    (Hurry.USUAL, NORMAL),
    (Hurry.LOW, message("Low")),
)
ORDERS: Mapping[Order, Message] = {
    Order.NEWEST: message("Newest first"),
    Order.OLDEST: message("Oldest first"),
    Order.ENDED: message("Recently ended"),
    Order.OBJECTS: message("Most objects"),
    Order.BYTES: message("Most bytes"),
}
FILTERS = ("q", "harvest", "channel", "collector", "priority", "domain", "jobs", "from", "to", "order", "run")
RARE = ("collector", "channel", "priority", "domain", "jobs", "from", "to")
MOST_EXPORTED = 5000
Mark = Annotated[str, Query(max_length=100)]
COLUMNS = Columns(
    "jobs",
    (
        Column("harvest", message("Harvest")),
        Column("run", message("Run"), usual=False),
        Column("channel", message("Channel"), usual=False),
        Column("collector", message("Collector"), usual=False),
        Column("priority", message("Priority"), usual=False),
        Column("domains", message("Domains")),
        Column("objects", message("Objects")),
        Column("bytes", message("Bytes")),
        Column("files", message("Files"), usual=False),
        Column("created", message("Created"), usual=False),
        Column("ended", message("Ended")),
    ),
)


@pages.get("", dependencies=VIEW)
def jobs_page(page: Page, jobs: JobsService, at: Mark = "", export: str = "") -> Response:
    given = {name: page.request.query_params.get(name, "") for name in (*FILTERS, "state")}
    wanted, problem = readable(given)
    if export == "csv" and wanted:
        return exported(jobs.page(wanted, mark=at, limit=MOST_EXPORTED), COLUMNS.shown(page.request))
    found = jobs.page(wanted, mark=at, limit=PAGE_SIZE) if wanted else Slice([])
    rows: dict[str, Any] = {
        "jobs": [shown_job(row) for row in found.jobs],
        "total": how_many(jobs.count(wanted)) if wanted else "0",
        "forward": address(given, at=found.forward) if found.forward else "",
        "back": address(given, at=found.back) if found.back else "",
        "narrowed": any(given[name] for name in (*FILTERS, "state") if name != "order"),
        "columns": COLUMNS,
        "shown": COLUMNS.shown(page.request),
        "may_change": page.may(Permission.JOBS_MANAGE),
    }
    if page.is_part:
        return page.part("planning/jobs_rows.html", **rows)
    known = jobs.choices()
    return page.show(
        "planning/jobs_list.html",
        **rows,
        filter=given,
        rare=any(given[name] for name in RARE),
        state_options=state_options(jobs.counts()),
        choices={name: options(names, given[name]) for name, names in known.items()},
        hurry_options=HURRIES,
        order_options=list(ORDERS.items()),
        problem=problem,
    )


def options(known: Sequence[tuple[str, str]], chosen: str) -> Sequence[tuple[str, str]]:
    """With the one that is asked for, which may be older than these, or a part of a name."""
    return known if not chosen or chosen in dict(known) else [(chosen, chosen), *known]


def state_options(counts: Mapping[JobState, Count]) -> list[tuple[str, str]]:
    """The counts speak of all jobs."""
    text = message("%(state)s (%(count)s)")
    return [
        (name, say(text.saying(state=say(title), count=counted(counts, name))))
        for name, title in CHOICES.items()
    ]


def exported(found: Slice, shown: Collection[str]) -> Response:
    """The same rows and columns as on the page, and more of them."""
    columns = [column for column in COLUMNS.columns if column.name in shown]
    head = [message("Job"), message("State"), *(column.title for column in columns)]
    rows = (
        [row.id, STATES[row.state][0], *(VALUES[column.name](row) for column in columns)]
        for row in found.jobs
    )
    return csv_answer("jobs", head, rows)


VALUES: Mapping[str, Callable[[JobRow], object]] = {
    "harvest": lambda row: row.harvest_name,
    "run": lambda row: row.run_number,
    "channel": lambda row: row.channel,
    "collector": lambda row: row.collector_name,
    "priority": lambda row: row.priority,
    "domains": lambda row: row.configurations,
    "objects": lambda row: row.objects,
    "bytes": lambda row: row.bytes,
    "files": lambda row: row.files,
    "created": lambda row: row.created_at,
    "ended": lambda row: row.ended_at,
}


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


def counted(counts: Mapping[JobState, Count], name: str) -> str:
    of = [counts[state] for state in STATES_OF[name]]
    return how_many(Count(sum(one.number for one in of), any(one.more for one in of)))


def how_many(count: Count) -> str:
    return f"{spelled(count.number)}+" if count.more else spelled(count.number)


# Several at once --------------------------------------------------------------------------------------


@pages.post("/chosen", dependencies=MANAGE)
def change_chosen(page: Page, form: PostedForm, jobs: JobsService, steering: SteeringService) -> Response:
    """What was selected in the list, or the one job whose page has the button."""
    href = inside(form.get("back")) if form.get("back") else ADDRESS
    numbers = [number for text in form.chosen("job") if (number := number_in(text)) is not None]
    try:
        result = ordered(page, jobs, steering, form, numbers)
    except Refused as refusal:
        return page.done(href, refusal.message, "bad")
    if len(numbers) == 1 and result.made:
        href = f"{ADDRESS}/{result.made[0]}"
    return page.done(href, summary(form.get("do"), result), "good" if result.changed else "warning")


def ordered(page: PageRequest, jobs: Jobs, steering: Steering, form: Form, numbers: list[int]) -> Done:
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
        case "end":
            return ended(page, steering, numbers)
        case _:
            raise Refused(message("Choose an action for the selected jobs."))


def ended(page: PageRequest, steering: Steering, numbers: Sequence[int]) -> Done:
    """Those that run are told to end; the others are left."""
    done = Done()
    for number in numbers:
        try:
            steering.order(page.actor, number, "terminate", {})
        except Refused:
            done.left.append(number)
        else:
            done.changed.append(number)
    return done


DONE: Mapping[str, Message] = {
    "resubmit-original": message("Resubmitted: %(count)s."),
    "resubmit-current": message("Resubmitted with the current settings: %(count)s."),
    "reject": message("Rejected: %(count)s."),
    "restore": message("Restored as failed jobs: %(count)s."),
    "cancel": message("Cancelled: %(count)s."),
    "end": message("Ending: %(count)s."),
}


def summary(what: str, result: Done) -> Message:
    said = Message(DONE[what].template, {"count": len(result.changed)})
    if not result.left:
        return said
    left = message("Not changed because of their state: %(count)s.", count=len(result.left))
    return Message(f"{say(said)} {say(left)}")
