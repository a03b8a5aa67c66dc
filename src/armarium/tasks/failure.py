"""How a task ends without success, and what is kept about it."""

import re
import traceback
from dataclasses import dataclass

from armarium.core.errors import ArmariumError
from armarium.core.message import Message

ERROR_LENGTH = 2_000  # characters
TRACEBACK_LENGTH = 20_000

# What looks like a secret in the text of somebody else's exception. The first group stays.
SECRETS = (
    re.compile(r"(\b[a-z][a-z0-9+.-]*://[^\s:/@]*:)\S+(?=@)", re.IGNORECASE),  # scheme://user:SECRET@host
    re.compile(
        r"((?:password|passwd|secret|token|api[_-]?key|credential)s?[\"']?\s*[=:]\s*[\"']?)[^\s\"',;&)]+",
        re.IGNORECASE,
    ),
    re.compile(r"(\b(?:Bearer|Basic)\s+)[A-Za-z0-9._~+/=-]{6,}"),
)


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


def describe(error: BaseException) -> Failure:
    if isinstance(error, ArmariumError):
        text = str(error)  # a sentence of ours, made to be read
    else:
        text = "".join(traceback.format_exception_only(error)).strip()
    trace = "".join(traceback.format_exception(error))
    return Failure(
        error=_shortened(masked(text), ERROR_LENGTH),
        traceback=_shortened(masked(trace), TRACEBACK_LENGTH),
        permanent=isinstance(error, TaskFailed) and error.permanent,
    )


def masked(text: str) -> str:
    for secret in SECRETS:
        text = secret.sub(r"\1***", text)
    return text.replace("\x00", "\N{SYMBOL FOR NULL}")  # PostgreSQL keeps no NUL in a text


def _shortened(text: str, length: int) -> str:
    """The beginning and the end: an exception's own words are at the end of a traceback."""
    if len(text) <= length:
        return text
    half = (length - 3) // 2
    return f"{text[:half]}\n…\n{text[-half:]}"
