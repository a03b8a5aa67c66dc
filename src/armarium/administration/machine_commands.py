"""Commands for tasks, processes and the audit log."""

from datetime import date, datetime
from typing import Annotated, Any

import typer

from armarium.administration.notifications import as_json as as_shown
from armarium.administration.notifications import states_of
from armarium.administration.service import TaskOrders, TestSender
from armarium.audit.model import Question
from armarium.audit.service import Audit
from armarium.languages.speech import byte_size
from armarium.notify.service import Notifications
from armarium.processes.service import Processes
from armarium.tasks.model import TaskState, Wanted
from armarium.tasks.service import Tasks
from armarium.terminal.groups import group
from armarium.terminal.output import say, show_facts, show_json, show_rows, show_table
from armarium.terminal.session import Json, operator, service, session
from armarium.web.numbers import LARGEST

notifications_commands = group("What operators were told, and a test of it.")
tasks_commands = group("Background tasks: look, retry, cancel.")

Number = Annotated[int, typer.Argument(help="The task's number.", min=1, max=LARGEST)]
Most = Annotated[int, typer.Option("--limit", "--most", help="How many at most.", min=1, max=100_000)]
Day = Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d"], help="A day: 2026-12-31.")]


@tasks_commands.command("list")
def list_tasks(
    context: typer.Context,
    state: Annotated[TaskState | None, typer.Option(help="Only tasks in this state.")] = None,
    name: Annotated[str | None, typer.Option(help="Only tasks of this kind.")] = None,
    most: Most = 50,
    as_json: Json = False,
) -> None:
    """List tasks, newest first."""
    with service(context, Tasks) as tasks:
        found, total = tasks.page(Wanted(state=state, name=name), limit=most)
    columns = ("Number", "Task", "State", "Attempts", "Last event", "Error")
    rows = ((t.id, t.name, t.state, t.attempts, t.changed_at, t.error) for t in found)
    show_rows(map(vars, found), as_json, columns, rows, empty="No tasks.", noun="task", total=total)


@tasks_commands.command("show")
def show_task(context: typer.Context, number: Number, as_json: Json = False) -> None:
    """Show one task with all that happened to it."""
    with service(context, Tasks) as tasks:
        history = tasks.get(number)
    if as_json:
        failures = [vars(failure) for failure in history.failures]
        events = [vars(event) for event in history.events]
        return show_json({**vars(history.task), "events": events, "failures": failures})
    show_facts(vars(history.task))
    say("")
    show_table(("When", "What"), ((event.at, event.type) for event in history.events))
    for failure in history.failures:
        say(f"\nAttempt {failure.attempt} failed: {failure.error}\n{failure.traceback}")
    return None


@tasks_commands.command("retry")
def retry_task(context: typer.Context, number: Number, as_json: Json = False) -> None:
    """Run a failed or cancelled task again."""
    with service(context, TaskOrders) as orders:
        change = orders.retry(operator(), number)
    return show_json(vars(change)) if as_json else say(f"Task {number} will be tried again.")


@tasks_commands.command("retry-failed")
def retry_failed(
    context: typer.Context,
    name: Annotated[str | None, typer.Option(help="Only tasks of this kind.")] = None,
    as_json: Json = False,
) -> None:
    """Run all failed tasks again."""
    with service(context, TaskOrders) as orders:
        changes = orders.retry_all_failed(operator(), Wanted(name=name))
    if as_json:
        return show_json([change.task_id for change in changes])
    return say(f"Tasks that will be tried again: {len(changes)}.")


@tasks_commands.command("cancel")
def cancel_task(context: typer.Context, number: Number, as_json: Json = False) -> None:
    """Cancel a waiting task, or ask a running one to stop."""
    with service(context, TaskOrders) as orders:
        change = orders.cancel(operator(), number)
    if as_json:
        return show_json(vars(change))
    asked = change.after is TaskState.RUNNING
    return say(f"Task {number} is {'asked to stop' if asked else 'cancelled'}.")


@notifications_commands.command("list")
def list_notifications(context: typer.Context, most: Most = 50, as_json: Json = False) -> None:
    """List notifications, newest first."""
    with session(context).services() as services:
        found, total = services.get(Notifications).page(limit=most)
        states = states_of(found, services.get(Tasks))
    facts = (as_shown(sent, states).model_dump(mode="json") for sent in found)
    columns = ("When", "Severity", "Subject", "Text")
    rows = ((s.at, s.notification.severity, s.notification.subject, s.notification.text) for s in found)
    show_rows(
        facts, as_json, columns, rows, empty="Nobody was told anything yet.", noun="notification", total=total
    )


@notifications_commands.command("test")
def send_test_notification(context: typer.Context, as_json: Json = False) -> None:
    """Send a test notification through all channels, to see whether it arrives."""
    with service(context, TestSender) as sender:
        sender.send(operator())
    if as_json:
        return show_json({"deferred": True})
    return say("A test notification is on its way; a running worker sends it.")


def show_system(context: typer.Context, as_json: Json = False) -> None:
    """Show every process with its machine, state and last heartbeat."""
    with service(context, Processes) as processes:
        found = processes.current()
    columns = ("Process", "Machine", "State", "Heartbeat", "Memory", "Disk free", "Message")
    rows = (
        (
            p.name,
            p.machine,
            p.state,
            p.heartbeat,
            byte_size(p.memory),
            byte_size(p.disk_free),
            p.message,
        )
        for p in found
    )
    show_rows(map(vars, found), as_json, columns, rows, empty="No process has reported yet.", noun="process")


def show_audit(
    context: typer.Context,
    who: Annotated[str, typer.Option(help="Only changes by this account.")] = "",
    action: Annotated[str, typer.Option(help="Only this action, such as account.changed.")] = "",
    about: Annotated[str, typer.Option("--object", help="Part of the object's name.")] = "",
    since: Day = None,
    until: Day = None,
    most: Most = 50,
    as_json: Json = False,
) -> None:
    """Show the audit log: who changed what, when, from what, to what."""
    question = Question(who, action, object_name=about, since=day(since), until=day(until))
    with service(context, Audit) as audit:
        entries, total = audit.page(question, limit=most)
    columns = ("When", "Who", "Action", "Object", "Change")
    rows = (
        (
            f"{e.at:%Y-%m-%d %H:%M:%S}",
            e.actor,
            e.action,
            f"{e.object_kind} {e.object_name}",
            changes(e.differences()),
        )
        for e in entries
    )
    show_rows(map(vars, entries), as_json, columns, rows, empty="No entry fits.", noun="entry", total=total)


def day(moment: datetime | None) -> date | None:
    return moment.date() if moment else None


def changes(differences: list[tuple[str, Any, Any]]) -> str:
    return "; ".join(f"{name}: {old} → {new}" for name, old, new in differences)
