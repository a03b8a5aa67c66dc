"""Notifications that were sent, and one to try the channels with."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any

from fastapi import Depends
from pydantic import BaseModel
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.administration.service import TestSender
from armarium.core.message import Message, message
from armarium.notify.model import Sent, Severity
from armarium.notify.service import Notifications
from armarium.tasks.model import TaskState
from armarium.tasks.service import Tasks
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.pages import Page, guarded
from armarium.web.paging import PAGE_SIZE, At, Listing, PageNumber, offset_of
from armarium.web.routes import Router
from armarium.web.services import service

pages = Router(prefix="/administration/notifications")
api = Router(prefix="/notifications", tags=["system"])

SEVERITIES: dict[Severity, tuple[str, Message]] = {
    Severity.INFORMATION: ("neutral", message("Information")),
    Severity.WARNING: ("warning", message("Warning")),
    Severity.ERROR: ("bad", message("Error")),
}


NotificationsService = Annotated[Notifications, Depends(service(Notifications))]
TasksService = Annotated[Tasks, Depends(service(Tasks))]
SenderService = Annotated[TestSender, Depends(service(TestSender))]


@pages.get("", dependencies=guarded(Permission.SYSTEM_VIEW))
def notifications_page(
    page: Page, notifications: NotificationsService, tasks: TasksService, number: PageNumber = 1
) -> Response:
    found, total = notifications.page(limit=PAGE_SIZE, offset=offset_of(number))
    states = states_of(found, tasks)
    return page.live(
        "administration/notifications.html",
        "administration/notification_list.html",
        notifications=[shown(sent, states) for sent in found],
        total=total,
        page=page.paging(number, total),
        channels=notifications.settings.channels,
        may_send=page.may(Permission.TASKS_MANAGE),
        may_see_tasks=page.may(Permission.TASKS_VIEW),
    )


def states_of(found: Iterable[Sent], tasks: Tasks) -> dict[int, TaskState]:
    """How far the deliveries are; finished tasks are cleared away long before the notifications."""
    return tasks.states_of({task for sent in found for task in sent.deliveries.values()})


def shown(sent: Sent, states: Mapping[int, TaskState]) -> dict[str, Any]:
    kind, title = SEVERITIES[sent.notification.severity]
    return {
        "id": sent.id,
        "at": sent.at,
        "kind": kind,
        "severity": title,
        "subject": sent.notification.subject,
        "text": sent.notification.text,
        "deliveries": [(name, task, states.get(task)) for name, task in sorted(sent.deliveries.items())],
        "repeats": sent.repeats,
        "last_repeat": sent.last_repeat,
    }


@pages.post("/test", dependencies=guarded(Permission.TASKS_MANAGE))
def send_test(page: Page, sender: SenderService) -> Response:
    sender.send(page.actor)
    text = message("A test notification was sent through all channels.")
    return page.done("/administration/notifications", text)


class DeliveryShown(BaseModel):
    task: int
    state: TaskState | None  # None: the task was cleared away since


class NotificationShown(BaseModel):
    id: int
    at: datetime
    severity: Severity
    subject: str
    text: str
    deliveries: dict[str, DeliveryShown]  # by channel
    repeats: int


@api.get("", summary="List notifications, newest first", **operation(Permission.SYSTEM_VIEW))
def list_notifications(
    notifications: NotificationsService, tasks: TasksService, at: At
) -> Listing[NotificationShown]:
    found, total = notifications.page(limit=at.limit, offset=at.place)
    states = states_of(found, tasks)
    return at.listing([as_json(sent, states) for sent in found], total)


def as_json(sent: Sent, states: Mapping[int, TaskState]) -> NotificationShown:
    return NotificationShown(
        id=sent.id,
        at=sent.at,
        severity=sent.notification.severity,
        subject=str(sent.notification.subject),
        text=str(sent.notification.text),
        deliveries={
            name: DeliveryShown(task=task, state=states.get(task)) for name, task in sent.deliveries.items()
        },
        repeats=sent.repeats,
    )


@api.post("/test", status_code=202, summary="Send a test notification", **operation(Permission.TASKS_MANAGE))
def send_test_by_api(visitor: Visitor, sender: SenderService) -> dict[str, bool]:
    sender.send(visitor.actor)
    return {"sent": True}
