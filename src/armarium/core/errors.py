"""Errors that somebody catches: each says whose move is next."""

from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import TypeVar

from armarium.core.message import Message

T = TypeVar("T")


class ArmariumError(Exception):
    """An error with a sentence for people: what happened, to what, and what to do next."""

    def __init__(self, message: Message | str) -> None:
        self.message = message if isinstance(message, Message) else Message(message)
        super().__init__(str(self.message))


class Refused(ArmariumError):  # noqa: N818  (reads as what happened, not as a fault of ours)
    """What the user asked for cannot be done as asked; `field` names the input to correct, if one.

    `also`: what else is wrong, so that everything can be corrected at once.
    """

    def __init__(
        self, message: Message | str, *, field: str | None = None, also: "Sequence[Refused]" = ()
    ) -> None:
        super().__init__(message)
        self.field = field
        self.also = also

    def renamed(self, fields: Mapping[str, str]) -> "Refused":
        """The same where the form has other names for its fields than the rule that refuses."""
        also = [one.renamed(fields) for one in self.also]
        return Refused(self.message, field=fields.get(self.field or "", self.field), also=also)


class Refusals:
    """Gathers what is wrong, the first of each field, to say all of it at the end of a `with`."""

    def __init__(self) -> None:
        self._found: dict[str | None, Refused] = {}

    def add(self, field: str, text: Message) -> None:
        self.keep(Refused(text, field=field))

    def keep(self, refusal: Refused) -> None:
        for one in (refusal, *refusal.also):
            self._found.setdefault(one.field, one)

    def attempt(self, make: Callable[[], T]) -> T | None:
        """What is made, or None where it is refused: what follows may be looked at all the same."""
        try:
            return make()
        except Refused as refusal:
            self.keep(refusal)
            return None

    def __enter__(self) -> "Refusals":
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: TracebackType | None) -> None:
        if isinstance(error, Refused):
            self.keep(error)
        if self._found and (error is None or isinstance(error, Refused)):
            first, *others = self._found.values()
            if first is error:  # the only one, of whatever class it is: it goes on as it came
                return
            raise Refused(first.message, field=first.field, also=others) from error


class NotFound(ArmariumError):  # noqa: N818
    """What was named does not exist, or may not be known to the one who asks.

    `name` was asked for, and `known` are names that there are: a shell proposes the nearest.
    """

    def __init__(self, message: Message | str, *, name: str = "", known: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.name = name
        self.known = known


def existing(
    found: T | None, missing: Message, *, name: str = "", known: Callable[[], Sequence[str]] = tuple
) -> T:
    """What was asked for; `NotFound` with this sentence if there is none."""
    if found is None:
        raise NotFound(missing, name=name, known=known())
    return found


class Forbidden(ArmariumError):  # noqa: N818
    """The one who asks lacks the permission."""


class Unavailable(ArmariumError):  # noqa: N818
    """Something Armarium needs is away for the moment; the same request may succeed later."""


class DatabaseAway(Unavailable):
    """The database does not answer, has no room, or ended the work for another's sake: nothing was done."""


class Misconfigured(ArmariumError):  # noqa: N818
    """Settings or surroundings are wrong; an operator must act before Armarium can start."""
