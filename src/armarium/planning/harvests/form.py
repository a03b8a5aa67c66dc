"""Definitions of harvests as forms, and back: all that is wrong at once."""

import re
from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.core.moments import written_moment
from armarium.languages.speech import time_zone
from armarium.planning.fields.rules import Field, checked_fields, typed_values
from armarium.planning.harvests import checks
from armarium.planning.harvests.model import Definition, Harvest
from armarium.planning.model import HarvestKind, Missed
from armarium.planning.parsing import size_of, written_size
from armarium.planning.traps.rules import check_traps
from armarium.web.form_values import FormReader, typed
from armarium.web.forms import Form, filled
from armarium.web.paging import number_in

GROUPS = re.compile(r"[\s'\u00a0\u202f]")  # people group the digits of large numbers


def definition_of(
    form: Form, kind: HarvestKind, fields: Sequence[Field], before: Harvest | None
) -> Definition:
    with FormReader(form) as read:

        def number(name: str) -> int | None:
            return read.checked(lambda: number_of(form, name), None)

        def size(name: str) -> int | None:
            return read.checked(lambda: size_of(form, name), None)

        given = Definition(
            name=form.get("name"),
            kind=kind,
            comments=form.get("comments"),
            audience=form.get("audience"),
            channel=number("channel"),
            schedule=number("schedule"),
            missed=read.checked(lambda: missed_of(form), Missed.SKIP),
            traps=read.checked(lambda: check_traps(form.get("traps").splitlines()), ()),
            max_objects=number("max_objects"),
            max_bytes=size("max_bytes"),
            max_seconds=number("max_seconds"),
            total_objects=number("total_objects"),
            total_bytes=size("total_bytes"),
            previous=number("previous"),
            fields=read.checked(lambda: checked_fields(fields, form, before.fields if before else None), {}),
        )
        return read.checked(lambda: checks.checked(given), given)


def form_of(harvest: Harvest, fields: Sequence[Field]) -> Form:
    sizes = {name: written_size(getattr(harvest, name)) for name in ("max_bytes", "total_bytes")}
    known = {**typed(harvest, ZoneInfo(time_zone())), **sizes}
    return filled(**{**known, **typed_values(fields, harvest.fields)})


def empty_form(kind: HarvestKind, fields: Sequence[Field]) -> Form:
    """No schedule is proposed: a surprising one costs more than a question."""
    limit = written_size(1_000_000_000) if kind is HarvestKind.BROAD else ""
    return filled(**{"missed": Missed.SKIP.value, "max_bytes": limit, **typed_values(fields)})


def number_of(form: Form, name: str) -> int | None:
    text = GROUPS.sub("", form.get(name))
    if not text:
        return None
    number = number_in(text)
    if number is None:
        raise Refused(message("Write a whole number, or nothing."), field=name)
    return number


def moment_of(form: Form, name: str) -> datetime | None:
    """A moment on the clock of the site."""
    text = form.get(name).strip()
    if not text:
        return None
    try:
        return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(time_zone()))
    except ValueError:
        raise Refused(message("Write date and hour as 2026-12-31T23:30."), field=name) from None


def missed_of(form: Form) -> Missed:
    given = form.get("missed") or Missed.SKIP.value
    if given not in set(Missed):
        raise Refused(message("Choose what happens to missed runs."), field="missed")
    return Missed(given)


def written(value: int | None) -> str:
    return "" if value is None else str(value)


def shown_moment(moment: datetime | None) -> str:
    """On the clock of the site."""
    return written_moment(moment, ZoneInfo(time_zone()))
