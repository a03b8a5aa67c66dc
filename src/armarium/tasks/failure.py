"""How a task ends without success, and what is kept about it."""

import traceback
from dataclasses import dataclass

from armarium.core.errors import ArmariumError, DatabaseAway
from armarium.core.message import Message
from armarium.core.text import storable
from armarium.logs.masking import masked_text
from armarium.tasks.model import Retry

ERROR_LENGTH = 2_000  # characters
TRACEBACK_LENGTH = 20_000


class TaskFailed(ArmariumError):  # noqa: N818  (reads as what happened)
    """A task could not do its work. `permanent`: another attempt would end the same way."""

    def __init__(self, message: Message | str, *, permanent: bool = False) -> None:
        super().__init__(message)
        self.permanent = permanent


class TaskStopped(Exception):  # noqa: N818
    """Raised by a task that saw `context.stopping()` and left its work unfinished, to be run again."""


@dataclass(frozen=True)
class Failure:
    error: str
    traceback: str
    permanent: bool = False
    outage: bool = False  # the database was away, which says nothing about the task


def describe(error: BaseException) -> Failure:
    if isinstance(error, ArmariumError):
        text = str(error)  # a sentence of ours, made to be read
    else:
        text = "".join(traceback.format_exception_only(error)).strip()
    trace = "".join(traceback.format_exception(error))
    return Failure(
        error=_kept(text, ERROR_LENGTH),
        traceback=_kept(trace, TRACEBACK_LENGTH),
        permanent=isinstance(error, TaskFailed) and error.permanent,
        outage=_met_outage(error),
    )


def _met_outage(error: BaseException | None) -> bool:
    """Also if whoever met it said something of their own about it."""
    while error is not None:
        if isinstance(error, DatabaseAway):
            return True
        error = error.__cause__
    return False


def _kept(text: str, length: int) -> str:
    """Masked and shortened, in this order, so that half a secret at the cut is not overlooked.

    It is cut coarsely before, to bound the work: the finer cut then takes away what is near the coarse one.
    """
    return _shortened(storable(masked_text(_shortened(text, 2 * length), 2 * length)), length)


def _shortened(text: str, length: int) -> str:
    """The beginning and the end: an exception's own words are at the end of a traceback."""
    if len(text) <= length:
        return text
    half = (length - 3) // 2
    return f"{text[:half]}\n…\n{text[-half:]}"


# --- Decisions about tasks, as pure functions.


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
