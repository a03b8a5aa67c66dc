"""How a task ends without success, and what is kept about it."""

import traceback
from dataclasses import dataclass

from armarium.core.errors import ArmariumError, DatabaseAway
from armarium.core.message import Message
from armarium.core.text import storable
from armarium.logs.masking import masked_text

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
