"""Pages and API of background tasks."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Depends
from pydantic import BaseModel, ConfigDict
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.administration.service import TaskOrders
from armarium.administration.task_labels import (
    EVENT_TITLES,
    EVENT_TONES,
    STATE_TITLES,
    TAB_STATES,
    title_of,
    title_of_failure,
)
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.tasks.model import Task, TaskHistory, TaskState, Wanted
from armarium.tasks.service import CANCELLED, RETRIED, Tasks
from armarium.web.api import operation
from armarium.web.guard import Visitor, needs
from armarium.web.paging import PAGE_SIZE, At, Listing, Number, PageNumber, Paging, number_in, offset_of
from armarium.web.posted import PostedForm
from armarium.web.routes import Router
from armarium.web.services import service
from armarium.web.shell import PageShell, done
from armarium.web.sign_in import inside

pages = Router(prefix="/administration/tasks")
api = Router(prefix="/tasks", tags=["tasks"])

VIEW = [Depends(needs(Permission.TASKS_VIEW))]
MANAGE = [Depends(needs(Permission.TASKS_MANAGE))]

TasksService = Annotated[Tasks, Depends(service(Tasks))]
OrdersService = Annotated[TaskOrders, Depends(service(TaskOrders))]


@pages.get("", dependencies=VIEW)
def tasks_page(
    request: Request,
    visitor: Visitor,
    page: PageShell,
    tasks: TasksService,
    state: str = "waiting",
    q: str = "",
    queue: str = "",
    number: PageNumber = 1,
) -> Response:
    chosen = TaskState(state) if state in TAB_STATES else TaskState.WAITING
    wanted = Wanted(state=chosen, text=q.strip(), queue=queue or None)
    found, total = tasks.page(wanted, limit=PAGE_SIZE, offset=offset_of(number))
    counts = tasks.counts(wanted)
    context: dict[str, Any] = {
        "state": chosen.value,
        "tabs": [
            {
                "label": STATE_TITLES[each],
                "href": f"/administration/tasks?state={each}",
                "count": counts[each],
                "current": each is chosen,
            }
            for each in TAB_STATES
        ],
        "filter": {"q": q, "queue": queue},
        "queue_options": [(name, name) for name in tasks.queues()],
        "tasks": [shown(task) for task in found],
        "page": Paging(request, number, total),
        "failed": counts[TaskState.FAILED],
        "may_change": visitor.may(Permission.TASKS_MANAGE),
    }
    if request.headers.get("x-part"):
        return page.part(request, "administration/task_list.html", **context)
    return page.page(request, "administration/tasks.html", **context)


def shown(task: Task) -> dict[str, Any]:
    return {
        "id": task.id,
        "name": task.name,
        "label": title_of(task.name),
        "queue": task.queue,
        "priority": task.priority,
        "attempts": task.attempts,
        "scheduled": task.scheduled_at,
        "state": task.state.value,
        "event": message("Stopping") if task.stop_requested else STATE_TITLES[task.state],
        "event_at": task.changed_at,
        "lock": task.lock,
        "worker": task.worker,
        "arguments": {name: str(value) for name, value in task.arguments.items()},
        "error": task.error or "",
        "can_retry": task.state in RETRIED,
        "can_cancel": task.state in CANCELLED and not task.stop_requested,
    }


@pages.post("/retry-failed", dependencies=MANAGE)
def retry_failed(request: Request, visitor: Visitor, form: PostedForm, orders: OrdersService) -> Response:
    wanted = Wanted(text=form.get("q").strip(), queue=form.get("queue") or None)
    changes = orders.retry_all_failed(visitor.actor, wanted)
    text = message("Tasks to be retried: %(count)s.", count=len(changes))
    return done(request, "/administration/tasks", text)


@pages.post("/selected", dependencies=MANAGE)
def do_selected(request: Request, visitor: Visitor, form: PostedForm, orders: OrdersService) -> Response:
    """Retry or cancel those that were selected; the first that refuses says why, and the rest stay."""
    numbers = [number for text in form.chosen("task") if (number := number_in(text))]
    verb = orders.cancel if form.get("do") == "cancel" else orders.retry
    address = back(form.get("back"))
    try:
        for number in numbers:
            verb(visitor.actor, number)
    except Refused as refusal:
        return done(request, address, refusal.message, "bad")
    text = message("Tasks to be retried: %(count)s.", count=len(numbers))
    if form.get("do") == "cancel":
        text = message("Tasks cancelled: %(count)s.", count=len(numbers))
    return done(request, address, text)


@pages.get("/{number}", dependencies=VIEW)
def task_page(
    request: Request, number: Number, visitor: Visitor, page: PageShell, tasks: TasksService
) -> Response:
    history = tasks.get(number)
    context: dict[str, Any] = {
        "task": {**shown(history.task), "error": failure_text(history)},
        "events": events_of(history),
        "may_change": visitor.may(Permission.TASKS_MANAGE),
    }
    if request.headers.get("x-part"):
        return page.part(request, "administration/task_state.html", **context)
    return page.page(request, "administration/task.html", **context)


def failure_text(history: TaskHistory) -> str:
    if not history.failures:
        return history.task.error or ""
    last = history.failures[0]
    return f"{last.error}\n\n{last.traceback}".strip()


def events_of(history: TaskHistory) -> list[dict[str, Any]]:
    """What happened, newest first, each failure with its sentence."""
    told: list[dict[str, Any]] = [
        {
            "moment": event.at,
            "kind": EVENT_TONES.get(event.type, "neutral"),
            "label": EVENT_TITLES.get(event.type, Message(event.type)),
            "text": "",
        }
        for event in history.events
    ]
    told += [
        {
            "moment": failure.at,
            "kind": "bad",
            "label": title_of_failure(failure),
            "text": failure.error,
        }
        for failure in history.failures
    ]
    return sorted(told, key=lambda event: event["moment"], reverse=True)


@pages.post("/{number}/retry", dependencies=MANAGE)
def retry_task(
    request: Request, number: Number, visitor: Visitor, form: PostedForm, orders: OrdersService
) -> Response:
    orders.retry(visitor.actor, number)
    return done(request, back(form.get("back")), message("Task %(number)s will be retried.", number=number))


@pages.post("/{number}/cancel", dependencies=MANAGE)
def cancel_task(
    request: Request, number: Number, visitor: Visitor, form: PostedForm, orders: OrdersService
) -> Response:
    change = orders.cancel(visitor.actor, number)
    if change.after is TaskState.RUNNING:
        text = message("Task %(number)s was asked to stop.", number=number)
    else:
        text = message("Task %(number)s was cancelled.", number=number)
    return done(request, back(form.get("back")), text)


def back(target: str) -> str:
    return inside(target) if target else "/administration/tasks"


# The API --------------------------------------------------------------------------------------------


class TaskShown(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str
    queue: str
    priority: int
    state: TaskState
    arguments: dict[str, Any]
    attempts: int
    scheduled_at: datetime | None
    deferred_at: datetime | None
    changed_at: datetime | None
    stop_requested: bool
    error: str | None


class ChangeShown(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    task_id: int
    name: str
    before: TaskState
    after: TaskState


@api.get("", summary="List background tasks, newest first", **operation(Permission.TASKS_VIEW))
def list_tasks(
    tasks: TasksService,
    state: TaskState | None = None,
    name: str | None = None,
    queue: str | None = None,
    *,
    at: At,
) -> Listing[TaskShown]:
    found, total = tasks.page(Wanted(state, name, queue), limit=at.limit, offset=at.place)
    return at.listing([TaskShown.model_validate(task) for task in found], total)


@api.get("/{number}", summary="Read a task", **operation(Permission.TASKS_VIEW))
def read_task(number: Number, tasks: TasksService) -> TaskShown:
    return TaskShown.model_validate(tasks.get(number).task)


@api.post(
    "/{number}/retry", summary="Run a failed or cancelled task again", **operation(Permission.TASKS_MANAGE)
)
def retry_by_api(number: Number, visitor: Visitor, orders: OrdersService) -> ChangeShown:
    return ChangeShown.model_validate(orders.retry(visitor.actor, number))


@api.post(
    "/{number}/cancel",
    summary="Cancel a waiting task, or ask a running one to stop",
    **operation(Permission.TASKS_MANAGE),
)
def cancel_by_api(number: Number, visitor: Visitor, orders: OrdersService) -> ChangeShown:
    return ChangeShown.model_validate(orders.cancel(visitor.actor, number))
