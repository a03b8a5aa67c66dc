"""Definitions as forms, and back."""

import re
from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.languages.speech import time_zone
from armarium.planning.fields.rules import Field, checked_fields, typed_values
from armarium.planning.harvests.model import Definition, Harvest
from armarium.planning.model import HarvestKind, Missed
from armarium.planning.parsing import size_of, written_size
from armarium.web.forms import Form, filled
from armarium.web.paging import number_in

WRITTEN_MOMENT = "%Y-%m-%dT%H:%M"


def definition_of(
    form: Form, kind: HarvestKind, fields: Sequence[Field], before: Harvest | None
) -> Definition:
    return Definition(
        name=form.get("name"),
        kind=kind,
        comments=form.get("comments"),
        audience=form.get("audience"),
        channel=number_of(form, "channel"),
        schedule=number_of(form, "schedule"),
        missed=missed_of(form),
        traps=tuple(form.get("traps").splitlines()),
        max_objects=number_of(form, "max_objects"),
        max_bytes=size_of(form, "max_bytes"),
        max_seconds=number_of(form, "max_seconds"),
        total_objects=number_of(form, "total_objects"),
        total_bytes=size_of(form, "total_bytes"),
        previous=number_of(form, "previous"),
        fields=checked_fields(fields, form, before.fields if before else None),
    )


def form_of(harvest: Harvest, fields: Sequence[Field]) -> Form:
    form = filled(
        name=harvest.name,
        comments=harvest.comments,
        audience=harvest.audience,
        channel=harvest.channel or "",
        schedule=harvest.schedule or "",
        missed=harvest.missed.value,
        traps="\n".join(harvest.traps),
        max_objects=written(harvest.max_objects),
        max_bytes=written_size(harvest.max_bytes),
        max_seconds=written(harvest.max_seconds),
        total_objects=written(harvest.total_objects),
        total_bytes=written_size(harvest.total_bytes),
        previous=harvest.previous or "",
        next_at=written_moment(harvest.next_at),
        seen=harvest.mark,
    )
    form.values.update(typed_values(fields, harvest.fields))
    return form


def empty_form(kind: HarvestKind, fields: Sequence[Field]) -> Form:
    """No schedule is proposed: a surprising one costs more than a question."""
    limit = written_size(1_000_000_000) if kind is HarvestKind.BROAD else ""
    form = filled(missed=Missed.SKIP.value, max_bytes=limit)
    form.values.update(typed_values(fields))
    return form


def number_of(form: Form, name: str) -> int | None:
    text = re.sub(r"[\s'\u00a0\u202f]", "", form.get(name))
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
        raise Refused(message("Choose what becomes of missed runs."), field="missed")
    return Missed(given)


def written(value: int | None) -> str:
    return "" if value is None else str(value)


def written_moment(moment: datetime | None) -> str:
    return moment.astimezone(ZoneInfo(time_zone())).strftime(WRITTEN_MOMENT) if moment else ""
