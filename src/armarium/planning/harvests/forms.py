"""Definitions as forms, and back."""

import re
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.languages.speech import time_zone
from armarium.planning.domains.fields_rules import Field, checked_fields, typed_values
from armarium.planning.harvests.model import Definition, Harvest, Missed
from armarium.planning.model import HarvestKind
from armarium.web.forms import Form, filled
from armarium.web.paging import LARGEST

POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}
SIZE = re.compile(r"(\d{1,19}(?:[.,]\d{1,6})?)\s*(?:([kmgtp]?)[bo])?", re.IGNORECASE)  # French: Go, Mo
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
    if not text.isdecimal() or int(text[:20]) > LARGEST:
        raise Refused(message("Write a whole number, or nothing."), field=name)
    return int(text)


def size_of(form: Form, name: str) -> int | None:
    """Bytes, written as 500000000, 500 MB or 1.5 GB."""
    text = re.sub(r"[\u00a0\u202f]", " ", form.get(name)).strip()
    if not text:
        return None
    match = SIZE.fullmatch(text)
    bytes_ = (
        int(Decimal(match[1].replace(",", ".")) * 1000 ** POWERS[(match[2] or "").upper()]) if match else -1
    )
    if not 0 <= bytes_ <= LARGEST:
        raise Refused(message("Write a size as 500 MB, 1.5 GB or in bytes, or nothing."), field=name)
    return bytes_


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


def written_size(value: int | None) -> str:
    """As people write it, if nothing is lost by that."""
    if value is None:
        return ""
    for sign, power in reversed(POWERS.items()):
        if power and value and value % 1000**power == 0:
            return f"{value // 1000**power} {sign.replace('K', 'k')}B"
    return str(value)


def written_moment(moment: datetime | None) -> str:
    return moment.astimezone(ZoneInfo(time_zone())).strftime(WRITTEN_MOMENT) if moment else ""
