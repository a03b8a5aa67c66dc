"""Decisions about tasks, as pure functions."""

from armarium.tasks.model import Retry

OUTAGE_SECONDS = 5  # until a task that met no database is run again; who fetches it has one
#: After so many the database goes away because of the task, and each is a failure of the task.
MOST_OUTAGES = 20


def delay_before_next_attempt(retry: Retry, failures: int, *, permanent: bool) -> int | None:
    """Seconds until the next attempt after `failures` attempts that failed; None: there is no next one.

    Without jitter: tasks are fetched one by one from one queue, so that many of them falling due in the
    same second already wait for each other, and a page can say exactly when the next attempt is.
    """
    if permanent or failures >= retry.attempts:
        return None
    if not retry.delays:
        return 0
    return retry.delays[min(failures, len(retry.delays)) - 1]


def becomes_of_lost(losses: int, limit: int, *, cancelled: bool) -> str:
    """procrastinate's status for a task whose worker died; `losses` counts this time, too.

    A task that has taken several workers down with it is poison: it must not run again by itself.
    """
    if cancelled:
        return "aborted"
    return "failed" if losses >= limit else "todo"
