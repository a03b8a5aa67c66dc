"""What people type to find domains, read as conditions that an index can answer, and the SQL of that.

`*` stands for anything and `?` for one character. A text without either is looked for anywhere in a name.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import ColumnElement, Connection
from sqlalchemy.dialects.postgresql import ARRAY, aggregate_order_by

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.db.stretches import Beginning, Place, stretch
from armarium.formats.url.whatwg import InvalidUrl, parse
from armarium.planning.domains.model import MOST_COUNTED, AliasFilter, DomainFilter, DomainRow, Total
from armarium.planning.tables.domains import (
    NEVER_CAPTURED,
    configuration,
    domain,
    name_parts,
    top_level,
    trigrams,
)

GRAM = 3  # characters of a text that the index knows
LONGEST_PATTERN = 253
_escaped = re.compile(r"([%_\\])")


@dataclass(frozen=True)
class Pattern:
    """How a name must look."""

    like: str = ""  # for LIKE; empty: any name
    tld: str = ""  # what the name must end in, behind the last dot
    grams: tuple[str, ...] = ()  # parts of three characters that the name must have
    ordered: bool = True  # the index that answers gives the names in their order


def pattern_of(text: str) -> Pattern:
    typed = _in_ascii(text.strip().lower())
    if not typed.strip("*"):
        return Pattern()
    if len(typed) > LONGEST_PATTERN or any(sign.isspace() for sign in typed):
        raise Refused(message("A name of a domain is shorter and has no spaces."), field="q")
    pattern = typed if _has_wildcard(typed) else _without_wildcards(typed)
    pieces = [piece for piece in re.split(r"[*?]+", pattern) if piece]
    beginning = re.match(r"[^*?]*", pattern)[0]  # type: ignore[index]
    ending = re.search(r"[^*?]*$", pattern)[0]  # type: ignore[index]
    tld = ending.rpartition(".")[2] if "." in ending else ""
    if tld and pattern == f"*.{tld}":
        return Pattern(tld=tld)
    inner = pieces[1:] if beginning else pieces
    found = tuple(dict.fromkeys(gram for piece in inner for gram in grams(piece)))
    # The last part of a name is in half of all names: its own index is the better one.
    telling = tuple(gram for gram in found if not (tld and f".{tld}".startswith(gram)))
    if not beginning and not tld and not found:
        raise _too_short()
    return Pattern(_like(pattern), tld, telling, ordered=not telling)


def grams(text: str) -> list[str]:
    return [text[place : place + GRAM] for place in range(len(text) - GRAM + 1)]


def contained(text: str) -> tuple[str, tuple[str, ...]]:
    """A condition for LIKE and the parts of three characters, for a text anywhere in another."""
    typed = " ".join(text.lower().split())
    if len(typed) < GRAM:
        raise Refused(message("Give at least three characters of the comment."), field="comment")
    return f"%{_quoted(typed)}%", tuple(dict.fromkeys(grams(typed)))


def _has_wildcard(text: str) -> bool:
    return "*" in text or "?" in text


def _without_wildcards(text: str) -> str:
    """An address is looked for by its host; fewer than three letters only at the beginning of names."""
    if "/" in text:
        text = (text.partition("://")[2] or text).partition("/")[0]
    if text.startswith("www."):
        text = text.removeprefix("www.")
    return f"*{text}*" if len(text) >= GRAM else f"{text}*"


def _like(pattern: str) -> str:
    return _quoted(pattern).replace("*", "%").replace("?", "_")


def _quoted(text: str) -> str:
    return _escaped.sub(r"\\\1", text)


def _in_ascii(text: str) -> str:
    """International labels as names have them: musée.fr is kept as xn--muse-epa.fr."""
    if text.isascii():
        return text
    return ".".join(_label(label) for label in text.split("."))


def _label(label: str) -> str:
    if label.isascii() or _has_wildcard(label):
        return label
    try:
        return parse(f"http://{label}.example/").host.removesuffix(".example")  # type: ignore[union-attr]
    except InvalidUrl:
        return label


def _too_short() -> Refused:
    return Refused(
        message(
            "Give at least three letters in a row, or the beginning of the name (lib*), or its end (*.fr)."
        ),
        field="q",
    )


# SQL: never more work than an index can do for 10,001 domains ---------------------------------------


Conditions = list[ColumnElement[bool]]


def found(
    connection: Connection, wanted: DomainFilter, *, oldest_alias: datetime, limit: int, offset: Beginning
) -> tuple[list[int], Total]:
    """The numbers of the domains of one page, in the order of their names, and how many there are.

    Up to 10,000 are counted and sorted. Of more, a page shows the first ones where an index has them in
    order, else those that were found first. Who begins at a place can walk through all of them.
    """
    conditions, ordered = conditions_of(wanted, oldest_alias)
    # A plan made for any value would be right for none: `*.fr` and `*.museum` need different ones.
    connection.execute(sa.text("SET LOCAL plan_cache_mode = force_custom_plan"))
    # By costs of turning discs, reading a million rows would look cheaper than 10,001 steps in an index.
    connection.execute(sa.text("SET LOCAL random_page_cost = 1.1"))
    chosen = sa.select(domain.c.id, domain.c.name).where(*conditions).limit(MOST_COUNTED + 1)
    some = (chosen.order_by(domain.c.name) if ordered else chosen).cte("some")
    if isinstance(offset, Place):
        count = connection.execute(sa.select(sa.func.count()).select_from(some)).scalar_one()
        refuse_beyond(offset, count)
        asked = sa.select(domain.c.id).where(*conditions)
        numbers = stretch(connection, asked, [domain.c.name], limit, offset).scalars().all()
        return list(numbers), _total(count)
    sorted_numbers = sa.func.array_agg(aggregate_order_by(some.c.id, some.c.name), type_=ARRAY(sa.BigInteger))
    last = min(offset + limit, MOST_COUNTED)
    page = sa.type_coerce(sorted_numbers, ARRAY(sa.BigInteger))[offset + 1 : last]
    count, numbers = connection.execute(sa.select(sa.func.count(), page).select_from(some)).one()
    return list(numbers or []), _total(count)


def _total(count: int) -> Total:
    return Total(min(count, MOST_COUNTED), more=count > MOST_COUNTED)


def refuse_beyond(place: Place, count: int) -> None:
    """Counting off more than are counted would read all of them for each page."""
    if place.offset >= MOST_COUNTED < count:
        raise Refused(
            message(
                "An offset leads no further than %(most)s entries. Walk through the list with “cursor”: "
                "every answer names the “next” one.",
                most=MOST_COUNTED,
            ),
            field="offset",
        )


def conditions_of(wanted: DomainFilter, oldest_alias: datetime) -> tuple[Conditions, bool]:
    """What domains must fulfil, and whether the index that answers gives them in order."""
    pattern = pattern_of(wanted.name)
    conditions: Conditions = []
    if pattern.like:
        conditions.append(domain.c.name.like(pattern.like))
    if pattern.grams:
        marks = (NEVER_CAPTURED,) if wanted.never_harvested else ()
        conditions.append(_has(name_parts(), (*pattern.grams, *marks)))
    for tld in dict.fromkeys((pattern.tld, wanted.tld.strip().strip(".").lower())):
        if tld:
            conditions.append(top_level(domain.c.name) == tld)
    if wanted.active is True:
        conditions.append(domain.c.active)
    if wanted.broad is True:
        conditions.append(domain.c.broad)
    if wanted.never_harvested:
        conditions.append(domain.c.captured_at.is_(None))
    rare = _rare(wanted, oldest_alias)
    return [*conditions, *rare], pattern.ordered and not rare


def _rare(wanted: DomainFilter, oldest_alias: datetime) -> Conditions:
    """Filters with an index of their own, which knows no order, or which few domains fulfil."""
    conditions: Conditions = []
    if wanted.active is False:
        conditions.append(~domain.c.active)
    if wanted.broad is False:
        conditions.append(~domain.c.broad)
    if wanted.alias is not None:
        conditions.extend(_alias(wanted.alias, oldest_alias))
    if wanted.traps is not None:
        empty = sa.text("'{}'::text[]")
        conditions.append(domain.c.traps != empty if wanted.traps else domain.c.traps == empty)
    if wanted.comment.strip():
        like, grams = contained(wanted.comment)
        text = sa.func.lower(domain.c.comments)
        conditions += [domain.c.comments != sa.text("''"), text.like(like), _has(trigrams(text), grams)]
    return conditions


def _alias(wanted: AliasFilter, oldest_alias: datetime) -> Conditions:
    if wanted is AliasFilter.NONE:
        return [domain.c.alias_of.is_(None)]
    live = domain.c.alias_since > oldest_alias
    return [domain.c.alias_of.is_not(None), live if wanted is AliasFilter.LIVE else ~live]


def _has(column: ColumnElement[list[str]], grams: Sequence[str]) -> ColumnElement[bool]:
    return column.op("@>", is_comparison=True)(sa.cast(list(grams), ARRAY(sa.Text)))


def rows(connection: Connection, numbers: Sequence[int]) -> list[DomainRow]:
    """These domains as a list shows them, in the order given."""
    other = domain.alias("other")
    chosen = (
        sa.select(
            domain.c.id,
            domain.c.name,
            domain.c.active,
            domain.c.alias_of,
            other.c.name.label("alias_name"),
            domain.c.alias_since,
            sa.func.cardinality(domain.c.traps).label("traps"),
            domain.c.comments,
            domain.c.broad,
            domain.c.captured_at,
            configuration.c.max_objects,
            configuration.c.max_bytes,
        )
        .select_from(domain)
        .outerjoin(other, other.c.id == domain.c.alias_of)
        .outerjoin(configuration, configuration.c.id == domain.c.default_configuration)
        .where(domain.c.id.in_(numbers))
    )
    by_number = {row["id"]: DomainRow(**row) for row in connection.execute(chosen).mappings()}
    return [by_number[number] for number in numbers if number in by_number]


def beginning_with(connection: Connection, text: str, limit: int) -> list[tuple[int, str]]:
    """Domains whose names begin like this, a name or an address; the first ones, by name."""
    host = _in_ascii(re.sub(r"^(\w+://)?(www\.)?", "", text.strip().lower()).partition("/")[0])
    if not host:
        return []
    asked = sa.select(domain.c.id, domain.c.name).where(domain.c.name.like(f"{_quoted(host)}%"))
    return [(row.id, row.name) for row in connection.execute(asked.order_by(domain.c.name).limit(limit))]


# Statistics -----------------------------------------------------------------------------------------


def by_top_level(connection: Connection) -> list[tuple[str, int, int]]:
    """Each top-level domain, its domains and how many of them are active; the largest first."""
    tld = top_level(domain.c.name).label("tld")
    number = sa.func.count()
    chosen = sa.select(tld, number, number.filter(domain.c.active)).group_by(tld).order_by(number.desc(), tld)
    return [(name, domains, active) for name, domains, active in connection.execute(chosen)]


def by_second_level(connection: Connection) -> list[tuple[str, int]]:
    """Registries of the second level (gouv.fr, co.uk): what names of three labels and more end in."""
    registry = sa.func.substring(domain.c.name, r"[^.]+\.[^.]+$", type_=sa.Text).label("registry")
    number = sa.func.count()
    three = domain.c.name.like("%.%.%")
    chosen = sa.select(registry, number).where(three).group_by(registry).order_by(number.desc(), registry)
    return [(name, domains) for name, domains in connection.execute(chosen)]
