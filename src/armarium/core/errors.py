"""Errors that somebody catches: each says whose move is next."""

from armarium.core.message import Message


class ArmariumError(Exception):
    """An error with a sentence for people: what happened, to what, and what to do next."""

    def __init__(self, message: Message | str) -> None:
        self.message = message if isinstance(message, Message) else Message(message)
        super().__init__(str(self.message))


class Refused(ArmariumError):  # noqa: N818  (reads as what happened, not as a fault of ours)
    """What the user asked for cannot be done as asked; `field` names the input to correct, if one."""

    def __init__(self, message: Message | str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class NotFound(ArmariumError):  # noqa: N818
    """What was named does not exist, or may not be known to the one who asks."""


class Forbidden(ArmariumError):  # noqa: N818
    """The one who asks lacks the permission."""


class Unavailable(ArmariumError):  # noqa: N818
    """Something Armarium needs is away for the moment; the same request may succeed later."""


class DatabaseAway(Unavailable):
    """The database does not answer, has no room, or ended the work for another's sake: nothing was done."""


class Misconfigured(ArmariumError):  # noqa: N818
    """Settings or surroundings are wrong; an operator must act before Armarium can start."""
