"""The overview after sign-in: what each room says to the person who looks, and how the page asks it.

A room declares a `Contribution` in its section. The page knows no room, and no room another: each tells only
what this person may see, with links that lead only where they may go.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from enum import IntEnum
from functools import cached_property, partial
from typing import Any, Protocol, TypeVar
from zoneinfo import ZoneInfo

import structlog
from sqlalchemy import Connection

from armarium.accounts.model import Identity, Permission
from armarium.core.message import Message
from armarium.core.services import Services
from armarium.db.database import Database
from armarium.languages.speech import number
from armarium.web.chapters import Chapter, Period

T = TypeVar("T")

OWN_HARVESTS = "harvests of the collections of this person"  # in `Asked.known`, from the room that knows them
MOST = 999  # a larger count is shown as “999+”
WEEK = timedelta(days=7)
WEEKS = 52


class Urgency(IntEnum):
    """In which order things that wait are listed."""

    NOW = 1  # something stands still, or may be lost, until a person has decided
    SOON = 2  # somebody else waits for it
    SOMETIME = 3  # it does not run away


@dataclass(frozen=True)
class Asked:
    """Who looks, and when: the days are those of the site's time zone."""

    services: Services
    identity: Identity
    now: datetime
    zone: str = "UTC"
    known: dict[Any, Any] = field(default_factory=dict, compare=False)

    def once(self, connection: Connection, look_up: Callable[..., T], *about: Hashable) -> T:
        """What several parts of a room tell of is read for the first of them."""
        key = (look_up, about)
        if key not in self.known:
            self.known[key] = look_up(connection, *about)
        found: T = self.known[key]
        return found

    def may(self, permission: Permission) -> bool:
        return self.identity.may(permission)

    @property
    def database(self) -> Database:
        return self.services.get(Database)

    @property
    def week(self) -> datetime:
        """Since when things went wrong that are told."""
        return self.now - WEEK

    @cached_property
    def weeks(self) -> tuple[date, ...]:
        """The Mondays of the year that is drawn, that of this week the last."""
        today = self.now.astimezone(ZoneInfo(self.zone)).date()
        monday = today - timedelta(days=today.weekday())
        return tuple(monday - back * WEEK for back in reversed(range(WEEKS)))

    @property
    def year(self) -> datetime:
        """When the first of these weeks began."""
        return datetime.combine(self.weeks[0], time.min, ZoneInfo(self.zone))


@dataclass(frozen=True)
class Waiting:
    """Something that this person can do now."""

    title: Message
    count: int  # none: it is not shown
    href: str  # where it is done
    hint: Message
    urgency: Urgency = Urgency.SOON


@dataclass(frozen=True)
class Running:
    """Something that is under way."""

    title: Message
    href: str = ""
    about: str = ""  # a name, as people gave it
    told: Message | None = None  # objects, bytes, …
    done: int | None = None  # None: nobody knows how far it is
    total: int = 0


@dataclass(frozen=True)
class Wrong:
    """Something that went wrong in the last week, or is wrong still."""

    title: Message
    advice: Message  # what to do next
    at: datetime
    href: str = ""
    about: str = ""  # a name, or the reason
    times: int = 1
    still: bool = False  # it is so at this moment; not: it happened


@dataclass(frozen=True)
class Series:
    label: Message
    values: Mapping[date, int]  # by week, named by its Monday; what is missing is 0
    tone: str = "first"  # of web/plots
    line: bool = False  # another thing than the bars below it


@dataclass(frozen=True)
class Figure:
    """A year of a room, week by week."""

    id: str  # a word of the page's address
    title: Message
    series: Sequence[Series]
    href: str = ""
    in_bytes: bool = False
    note: Message | None = None
    order: int = 50  # the first few are drawn: what concerns this person most has the smallest
    grows: bool = False  # a height, not an amount of each week


def grown(now: int, added: Mapping[date, int], weeks: Sequence[date]) -> dict[date, int]:
    """How much there was at the end of each week, from what there is now and what came in each."""
    found: dict[date, int] = {}
    for week in reversed(weeks):
        found[week] = max(now, 0)
        now -= added.get(week, 0)
    return found


@dataclass(frozen=True)
class Step:
    """What a new archive needs, in the order of `place`; shown until all are done."""

    title: Message
    help: Message
    href: str
    done: bool
    place: int


def counted(count: int) -> str:
    """A count as it is shown: nobody cares whether there are 12,000 or 13,000."""
    return f"{number(MOST)}+" if count > MOST else number(count)


def only(numbers: Sequence[int], address: str, several: str = "") -> str:
    """Straight to the one, or to the list of several."""
    return f"{address}/{numbers[0]}" if len(numbers) == 1 else f"{address}{several}"


def unmended(
    rows: Iterable[T], of: Callable[[T], Hashable], went_well: Callable[[T], bool | None]
) -> list[tuple[T, int]]:
    """What failed and has not gone well since, the last of each kind, and how often; of rows, newest first.

    `went_well`: None if nobody can say that yet.
    """
    mended: set[Hashable] = set()
    found: dict[Hashable, tuple[T, int]] = {}
    for row in rows:
        kind, well = of(row), went_well(row)
        if well:
            mended.add(kind)
        elif well is False and kind not in mended:
            last, times = found.get(kind, (row, 0))
            found[kind] = last, times + 1
    return list(found.values())


def nothing(_: Asked) -> tuple[()]:
    return ()


def no_report(asked: Asked, period: Period) -> tuple[()]:  # noqa: ARG001
    return ()


class Reporting(Protocol):
    def __call__(self, asked: Asked, period: Period) -> Iterable[Chapter]: ...


@dataclass(frozen=True)
class Contribution:
    """What a room tells. Each part is asked for on its own; one that fails is told as missing, and logged."""

    room: Message  # its name, for the sentence in the place of what could not be told
    permission: Permission | None = None  # without it the room has nothing to tell
    topics: Sequence[str] = field(default_factory=tuple)  # at which the page asks again
    waits: Callable[[Asked], Iterable[Waiting]] = nothing
    runs: Callable[[Asked], Iterable[Running]] = nothing
    wrong: Callable[[Asked], Iterable[Wrong]] = nothing
    figures: Callable[[Asked], Iterable[Figure]] = nothing
    steps: Callable[[Asked], Iterable[Step]] = nothing
    report: Reporting = no_report


# --- Asks all rooms for their part of the overview, and puts it together: most urgent first.


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
    contributions: Iterable[Contribution], asked: Asked, *, now: bool = True, year: bool = True
) -> Overview:
    """`now`: what waits, runs and went wrong; `year`: the figures, most important first."""
    going = Round(asked, allowed(contributions, asked))
    present = _present(going) if now else Overview()
    figures = going.all("figures", lambda one: one.figures) if year else []
    return Overview(
        waiting=present.waiting,
        running=present.running,
        wrong=present.wrong,
        steps=present.steps,
        figures=sorted(filter(_says_something, figures), key=lambda one: one.order),
        silent=tuple(going.silent),
    )


def reported(
    contributions: Iterable[Contribution], asked: Asked, period: Period
) -> tuple[list[Chapter], list[Message]]:
    """The chapters of the report, in their order, and the rooms that could not say theirs."""
    going = Round(asked, allowed(contributions, asked))
    chapters = going.all("report", lambda one: partial(one.report, period=period))
    return sorted(chapters, key=lambda one: one.order), going.silent


def waiting(contributions: Iterable[Contribution], asked: Asked) -> list[Waiting]:
    """What waits for this person, most urgent first."""
    return _waiting(Round(asked, allowed(contributions, asked)))


def joined(now: Overview, year: Overview) -> Overview:
    """Both parts, asked for apart from each other."""
    later = [room for room in year.silent if room not in now.silent]
    return replace(now, figures=year.figures, silent=(*now.silent, *later))


def _says_something(figure: Figure) -> bool:
    return any(any(series.values.values()) for series in figure.series)


def _waiting(going: Round) -> list[Waiting]:
    found = [one for one in going.all("waits", lambda one: one.waits) if one.count]
    return sorted(found, key=lambda one: one.urgency)  # the walk of the data inside


def _present(going: Round) -> Overview:
    wrong = going.all("wrong", lambda one: one.wrong)
    steps = going.all("steps", lambda one: one.steps)
    return Overview(
        waiting=_waiting(going),
        running=going.all("runs", lambda one: one.runs),
        # A replica that went away last month is worse than the tasks that failed since.
        wrong=sorted(wrong, key=lambda one: (one.still, one.at), reverse=True),
        steps=sorted(steps, key=lambda one: one.place),
    )
