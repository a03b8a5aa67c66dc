"""Asks all rooms for their part of the overview, and puts it together: most urgent first."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import structlog

from armarium.core.message import Message
from armarium.web.overview import Asked, Contribution, Figure, Running, Step, Waiting, Wrong

log = structlog.get_logger(__name__)

Told = TypeVar("Told")


@dataclass(frozen=True)
class Overview:
    """What one person sees."""

    waiting: Sequence[Waiting] = ()
    running: Sequence[Running] = ()
    wrong: Sequence[Wrong] = ()
    steps: Sequence[Step] = ()
    figures: Sequence[Figure] = ()
    silent: Sequence[Message] = ()  # rooms that could not say all of it

    @property
    def is_new(self) -> bool:
        """Whether a step is left that a new archive needs."""
        return not all(step.done for step in self.steps)


@dataclass
class Round:
    """One way through the rooms, and who did not answer."""

    asked: Asked
    contributions: Sequence[Contribution]
    silent: list[Message] = field(default_factory=list)

    def all(self, part: str, of: Callable[[Contribution], Callable[[Asked], Iterable[Told]]]) -> list[Told]:
        found: list[Told] = []
        for one in self.contributions:
            try:
                found += of(one)(self.asked)
            except Exception:  # outermost loop of a contribution: the page goes on without it
                log.exception("a part of the overview is missing", room=str(one.room), part=part)
                if one.room not in self.silent:
                    self.silent.append(one.room)
        return found


def allowed(contributions: Iterable[Contribution], asked: Asked) -> list[Contribution]:
    """Those of rooms that have something to tell this person."""
    return [one for one in contributions if one.permission is None or asked.may(one.permission)]


def topics(contributions: Iterable[Contribution], asked: Asked) -> list[str]:
    """At which the page asks again."""
    return list(dict.fromkeys(topic for one in allowed(contributions, asked) for topic in one.topics))


def gathered(
    contributions: Iterable[Contribution], asked: Asked, *, now: bool = True, month: bool = True
) -> Overview:
    """`now`: what waits, runs and went wrong; `month`: the figures."""
    going = Round(asked, allowed(contributions, asked))
    present = _present(going) if now else Overview()
    figures = going.all("figures", lambda one: one.figures) if month else []
    return Overview(
        waiting=present.waiting,
        running=present.running,
        wrong=present.wrong,
        steps=present.steps,
        figures=[one for one in figures if any(sum(series.values.values()) for series in one.series)],
        silent=tuple(going.silent),
    )


def joined(now: Overview, month: Overview) -> Overview:
    """Both parts, asked for apart from each other."""
    later = [room for room in month.silent if room not in now.silent]
    return replace(now, figures=month.figures, silent=(*now.silent, *later))


def _present(going: Round) -> Overview:
    waiting = [one for one in going.all("waits", lambda one: one.waits) if one.count]
    wrong = going.all("wrong", lambda one: one.wrong)
    steps = going.all("steps", lambda one: one.steps)
    return Overview(
        waiting=sorted(waiting, key=lambda one: one.urgency),  # the walk of the data inside
        running=going.all("runs", lambda one: one.runs),
        # A replica that went away last month is worse than the tasks that failed since.
        wrong=sorted(wrong, key=lambda one: (one.still, one.at), reverse=True),
        steps=sorted(steps, key=lambda one: one.place),
    )
