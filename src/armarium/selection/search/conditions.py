"""What a record must fulfil to answer a question: a condition for each field."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from sqlalchemy import ColumnElement
from sqlalchemy.dialects.postgresql import ARRAY

from armarium.accounts.tables import account
from armarium.languages.speech import time_zone
from armarium.selection.records.rules import place_of
from armarium.selection.search.fields import Amounts, Days
from armarium.selection.search.model import KINDS, ME, NOBODY, UNKNOWN, Question
from armarium.selection.tables import address, collection, comment, record, theme, trigrams
from armarium.selection.tables import folded as folded_column

Condition = ColumnElement[bool]
#: Fields of a question that the index of trigrams answers.
INDEXED_TEXTS = ("q", "address", "title", "keyword", "content_notes", "technical_notes")
GRAM = 3  # characters of a text that the index knows
WORDS = re.compile(r'"([^"]*)"|(\S+)')
_escaped = re.compile(r"([%_\\])")
_marks = re.compile("[\u0300-\u036f]")


def conditions(question: Question, me: int | None = None) -> list[Condition]:
    """All of them hold. `me`: the account of whoever asks."""
    found: list[Condition] = []
    for name, kind in KINDS.items():
        value = getattr(question, name)
        if value == kind.empty:
            continue
        found += [_responsible(value, me)] if name == "responsible" else CONDITIONS[name](value)
    return found


def folded(text: str) -> str:
    """Without accents and capitals, as `selection_text` of the database has it: musee finds Musée."""
    return _marks.sub("", unicodedata.normalize("NFKD", text)).lower()


def _like(text: str) -> str:
    quoted = _escaped.sub(r"\\\1", text)
    return f"%{quoted}%"


def _anywhere(text: str) -> list[Condition]:
    """The text stands in what a record is found by. From three letters on, an index knows where."""
    wanted = folded(text)
    found: list[Condition] = [record.c.found_by.like(_like(wanted))]
    grams = list(dict.fromkeys(wanted[n : n + GRAM] for n in range(len(wanted) - GRAM + 1)))
    if grams:
        parts = trigrams(record.c.found_by)
        found.append(parts.op("@>", is_comparison=True)(sa.cast(grams, ARRAY(sa.Text))))
    return found


def _words(text: str) -> list[Condition]:
    """Every word, anywhere; words in quotation marks stand together."""
    found = [quoted or bare for quoted, bare in WORDS.findall(text)]
    return [condition for word in found if word.strip() for condition in _anywhere(word)]


def _contains(column: ColumnElement[str]) -> Callable[[str], list[Condition]]:
    """One of the texts that a record is found by contains this one."""
    own = folded_column(column)
    return lambda text: [*_anywhere(text), own.like(_like(folded(text)))]


def _in_address(text: str) -> list[Condition]:
    return [*_anywhere(text), sa.func.lower(record.c.address).like(_like(text.lower()))]


def _aside(column: ColumnElement[str]) -> Callable[[str], list[Condition]]:
    """A short text that no index knows contains this one."""
    return lambda text: [column != sa.text("''"), sa.func.lower(column).like(_like(text.lower()))]


def _begins(text: str) -> list[Condition]:
    """As the index spells addresses: neither http or https nor www. count."""
    key = place_of(text, field="begins").key
    return [record.c.key.like(_like(key).removeprefix("%"))]


def _among(column: ColumnElement[Any]) -> Callable[[tuple[Any, ...]], list[Condition]]:
    return lambda values: [column == sa.any_(sa.cast([str(one) for one in values], ARRAY(sa.Text)))]


def _numbered(column: ColumnElement[Any]) -> Callable[[tuple[int, ...]], list[Condition]]:
    return lambda values: [column == sa.any_(sa.cast(list(values), ARRAY(sa.BigInteger)))]


def _named(column: ColumnElement[Any], table: sa.Table) -> Callable[[tuple[int | str, ...]], list[Condition]]:
    """By number, or by name, whatever its capitals."""

    def condition(values: tuple[int | str, ...]) -> list[Condition]:
        names = [one.lower() for one in values if isinstance(one, str)]
        numbers = _numbered(column)(tuple(one for one in values if isinstance(one, int)))
        if not names:
            return numbers
        called = sa.select(table.c.id).where(sa.func.lower(table.c.name).in_(names))
        return [sa.or_(*numbers, column.in_(called))]

    return condition


def _responsible(values: tuple[str, ...], me: int | None) -> Condition:
    names = [one.lower() for one in values if one not in {ME, NOBODY}]
    either: list[Condition] = []
    if ME in values:
        either.append(record.c.responsible == me if me is not None else sa.false())
    if NOBODY in values:
        either.append(record.c.responsible.is_(None))
    if names:
        people = sa.select(account.c.id).where(sa.func.lower(account.c.name).in_(names))
        either.append(record.c.responsible.in_(people))
    return sa.or_(*either)


def _languages(values: tuple[str, ...]) -> list[Condition]:
    """fr finds fr-CA as well."""
    either: list[Condition] = []
    for one in values:
        if one == UNKNOWN:
            either.append(record.c.language == sa.text("''"))
        else:
            code = one.lower()
            language = sa.func.lower(record.c.language)
            either += [language == code, language.like(_like(f"{code}-").removeprefix("%"))]
    return [sa.or_(*either)]


def _keywords(values: tuple[str, ...]) -> list[Condition]:
    """Each of them is a keyword, whole, though capitals and accents may differ."""
    found: list[Condition] = []
    for one in values:
        keyword = sa.func.unnest(record.c.keywords).column_valued("keyword")
        same = sa.select(sa.literal(1)).where(folded_column(keyword) == folded(one)).correlate(record)
        found += [*_anywhere(one), sa.exists(same)]
    return found


def _between(column: ColumnElement[Any]) -> Callable[[Days], list[Condition]]:
    """Days as the reader's calendar has them."""

    def wanted(days: Days) -> list[Condition]:
        zone = ZoneInfo(time_zone())
        found: list[Condition] = []
        if days.since:
            found.append(column >= datetime.combine(days.since, time(), zone).astimezone(UTC))
        if days.until:
            after = datetime.combine(days.until + timedelta(days=1), time(), zone)
            found.append(column < after.astimezone(UTC))
        return found

    return wanted


def _amounts(column: ColumnElement[Any]) -> Callable[[Amounts], list[Condition]]:
    def wanted(amounts: Amounts) -> list[Condition]:
        found: list[Condition] = []
        if amounts.least is not None:
            found.append(column >= amounts.least)
        if amounts.most is not None:
            found.append(column <= amounts.most)
        return found

    return wanted


def _is(condition: Condition) -> Callable[[bool], list[Condition]]:
    return lambda wanted: [condition if wanted else sa.not_(condition)]


def _by(column: ColumnElement[str]) -> Callable[[str], list[Condition]]:
    return lambda name: [sa.func.lower(column) == name.lower()]


def _in_further(text: str) -> list[Condition]:
    wanted = sa.func.lower(address.c.address).like(_like(text.lower()))
    return [record.c.id.in_(sa.select(address.c.record).where(wanted))]


def _in_comments(text: str) -> list[Condition]:
    wanted = sa.func.lower(comment.c.text).like(_like(text.lower()))
    return [record.c.id.in_(sa.select(comment.c.record).where(wanted))]


CONDITIONS: Mapping[str, Callable[[Any], list[Condition]]] = {
    "q": _words,
    "number": _numbered(record.c.id),
    "address": _in_address,
    "begins": _begins,
    "further": _in_further,
    "host": lambda text: [record.c.host == text.lower()],
    "domain": lambda text: [record.c.domain == text.lower()],
    "title": _contains(record.c.title),
    "collection": _named(record.c.collection, collection),
    "theme": _named(record.c.theme, theme),
    "budget": _among(record.c.budget),
    "frequency": _among(record.c.frequency),
    "depth": _among(record.c.depth),
    "state": _among(record.c.state),
    "reason": _aside(record.c.state_reason),
    "active": _is(record.c.active),
    "language": _languages,
    "keyword": _keywords,
    "content_notes": _contains(record.c.content_notes),
    "technical_notes": _contains(record.c.technical_notes),
    "origin": _among(record.c.origin),
    "checked": _is(record.c.checked_at.is_not(None)),
    "created": _between(record.c.created_at),
    "created_by": _by(record.c.created_by),
    "modified": _between(record.c.modified_at),
    "modified_by": _by(record.c.modified_by),
    "decided": _between(record.c.stated_at),
    "decided_by": _by(record.c.stated_by),
    "was_harvested": _is(record.c.harvested_at.is_not(None)),
    "harvested": _between(record.c.harvested_at),
    "job": _numbered(record.c.harvested_job),
    "objects": _amounts(record.c.harvested_objects),
    "bytes": _amounts(record.c.harvested_bytes),
    "stop": _aside(record.c.harvested_stop),
    "has_further": _is(record.c.id.in_(sa.select(address.c.record))),
    "has_comments": _is(record.c.id.in_(sa.select(comment.c.record))),
    "comment": _in_comments,
    "edition": _amounts(record.c.edition),
}
