"""What a heartbeat tells of a crawl, as far as it can be believed to be meant.

A collector may be of another version, or not mean well. Whatever is unknown or odd is left out, so that pages
and plots can rely on the rest; the heartbeat itself counts all the same.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from armarium.core.collecting import LONGEST_WORD, MANY, cut

MOST = 100  # entries of a list
LONGEST_TIME = 10**10  # seconds: three hundred years


def _or_nothing(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    try:
        return handler(value)
    except ValidationError:
        return None


LENIENT = WrapValidator(_or_nothing)


def _first(value: Any) -> Any:
    """The first entries that are documents."""
    found = value if isinstance(value, list | tuple) else ()
    return [one for one in found if isinstance(one, Mapping)][:MOST]


def _counted(value: Any) -> Any:
    """Counts by name; those that are none are left out."""
    found = value if isinstance(value, Mapping) else {}
    good = [(cut(str(name), LONGEST_WORD), count) for name, count in found.items() if _is_count(count)]
    return dict(sorted(good, key=lambda one: -one[1])[:MOST]) or None


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MANY


def _whole(value: float) -> int:
    return int(value)


Figure = Annotated[float, Field(strict=True, ge=0, lt=MANY, allow_inf_nan=False)]
Number = Annotated[Annotated[Figure, AfterValidator(_whole)] | None, LENIENT]
Few = Annotated[Annotated[int, Field(strict=True, ge=0, lt=2**31)] | None, LENIENT]
Rate = Annotated[Figure | None, LENIENT]
Seconds = Annotated[
    Annotated[float, Field(strict=True, ge=0, le=LONGEST_TIME, allow_inf_nan=False)] | None, LENIENT
]
Text = Annotated[Annotated[str, AfterValidator(lambda text: cut(text, LONGEST_WORD))] | None, LENIENT]
Counts = Annotated[dict[str, int] | None, BeforeValidator(_counted)]


class _Lenient(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Queue(_Lenient):
    queue: Text = None
    state: Text = None
    queued: Number = None
    waiting: Number = None
    objects: Number = None
    bytes: Number = None
    max_objects: Number = None
    max_bytes: Number = None
    server: Text = None


class MediaType(_Lenient):
    mime: Text = None
    objects: Number = None
    bytes: Number = None


class Report(_Lenient):
    """The status of an engine; see harvest.engine.steering."""

    name: Text = None
    state: Text = None
    pause_reason: Text = None
    seconds: Seconds = None
    seconds_left: Seconds = None
    report_age_seconds: Seconds = None  # since the engine said this: it may answer no more
    objects: Number = None
    bytes: Number = None
    discovered: Number = None
    queued: Number = None
    in_flight: Number = None
    finished: Number = None
    failed: Number = None
    disregarded: Number = None
    objects_per_second: Rate = None
    bytes_per_second: Rate = None
    queues_active: Few = None
    blocked_servers: Few = None
    traps: Few = None
    hosts: Number = None
    hosts_done: Number = None
    written_bytes: Number = None
    share_objects: Number = None  # of the total budget of its run
    share_bytes: Number = None
    waits_for_budget: Annotated[bool | None, LENIENT] = None
    files_unsent: Few = None
    files_landed: Few = None  # here, and not yet in every replica
    upload_trouble: Text = None  # why no file is taken, for some time now
    queues: Counts = None
    statuses: Counts = None
    duplicates: Number = None  # objects that were known
    duplicate_bytes: Number = None  # received, and not stored again
    by_type: Counts = None
    by_host: Counts = None
    mimes: Annotated[tuple[MediaType, ...], BeforeValidator(_first)] = ()
    biggest: Annotated[tuple[Queue, ...], BeforeValidator(_first)] = ()


FINISHED = "finished"  # in `state`, of figures that are those of the end
#: What a heartbeat tells and the end does not, and what is true of the whole crawl all the same.
LASTING = ("name", "blocked_servers", "traps")


def final(last: Mapping[str, Any], told: Mapping[str, Any], objects: int, volume: int) -> dict[str, Any]:
    """The figures of a job that has ended: those of its end, not those of some moment before."""
    lasting = {name: last[name] for name in LASTING if name in last}
    return {**lasting, **kept(told), "state": FINISHED, "objects": objects, "bytes": volume}


def kept(report: Mapping[str, Any]) -> dict[str, Any]:
    """What of a report is kept: also for those that an older version kept as they came."""
    found = Report.model_validate(dict(report)).model_dump(exclude_none=True)
    return {name: value for name, value in found.items() if value not in ((), [])}
