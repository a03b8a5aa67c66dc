"""Errors as readers and programs see them."""

from dataclasses import dataclass

from armarium.access.view import Restricted
from armarium.accounts.throttled import Throttled
from armarium.core.errors import ArmariumError, Forbidden, NotFound, Refused, Unavailable
from armarium.core.message import Message, message

#: Which status an error of the house has; the first class that fits.
STATUS: tuple[tuple[type[ArmariumError], int], ...] = (
    (Restricted, 451),
    (Throttled, 429),
    (Refused, 400),
    (NotFound, 404),
    (Forbidden, 403),
    (Unavailable, 503),
)

TITLES = {
    400: message("This request cannot be understood"),
    403: message("Not allowed"),
    404: message("Not found"),
    429: message("Too many attempts"),
    451: message("In the archive, but not to be seen here"),
    500: message("Something went wrong on our side"),
    503: message("Not available at the moment"),
}


@dataclass(frozen=True)
class Problem:
    status: int
    text: Message

    @property
    def title(self) -> Message:
        return TITLES[self.status]

    @classmethod
    def ours(cls) -> "Problem":
        return cls(500, message("The error has been logged. If it happens again, tell the library."))


def problem_of(error: ArmariumError) -> Problem:
    return Problem(next((status for kind, status in STATUS if isinstance(error, kind)), 500), error.message)
