"""Profiles, what may stand in one, and orders made of them. No input or output."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ValidationError

from armarium.core.crawl_order import CrawlOrder, merged
from armarium.core.entities import Described, named_values
from armarium.core.errors import Refused
from armarium.core.message import Message, message


@dataclass(frozen=True)
class Profile(Described):
    id: int
    name: str
    description: str
    active: bool  # offered where a profile is chosen
    shipped: bool  # came with Armarium
    version: int  # the newest
    version_id: int  # its number in the table of versions, which jobs cite
    document: Mapping[str, Any]  # of the newest version: what differs from the defaults of a crawl order

    def described(self) -> dict[str, object]:
        """The values that the audit log compares."""
        return named_values(self, "name", "description", "active", "version")


@dataclass(frozen=True)
class Version:
    id: int
    profile: int
    version: int  # 1, 2, …
    document: Mapping[str, Any]
    reason: str  # why it was made
    by: str
    created_at: datetime


@dataclass(frozen=True)
class Usage:
    """A configuration that uses a profile."""

    domain: int
    domain_name: str
    configuration: str
    active: bool


@dataclass(frozen=True)
class Difference:
    """A key in which two documents differ; None: the default holds."""

    key: str  # scope.max_hops
    before: object
    after: object


SHOWN = 60  # characters of a wrong value that are repeated

DEEPEST = 20  # lists and tables within each other: an order has four

A_FILE = message("This names a file of the machine that crawls. Planning names none.")
#: What planning itself says in each order: a profile that said it too would be overruled in silence; and
#: files, of which nobody here knows what they hold on a collector.
RESERVED: Mapping[str, Message] = {
    "name": message("Planning names each crawl by its job."),
    "seeds": message("Seeds belong to domains, not to a profile."),
    "scope.traps": message("Crawler traps belong to domains, harvests and the lists for all domains."),
    "queues.budgets": message("Planning sets the budget of each domain from its configuration."),
    "limits.sources": message("Planning sets the budget of each domain from its configuration."),
    "limits.share": message("Planning divides the total budget of a harvest."),
    "fetching.credentials": message("Credentials belong to domains, where they are kept encrypted."),
    "fetching.seeds_open_ranges": message("In planning only “allowed_ranges” opens networks."),
    "fetching.tls_authorities": A_FILE,
    "fetching.cookie_file": A_FILE,
    "recording.digest_index": A_FILE,
    "harvest": message("Planning says which harvest a job is part of."),
}
#: What decides where a collector's connections go and what becomes of its disk. Whoever sets a proxy or a
#: name server receives the passwords of sites.
MACHINE = frozenset(
    {
        "limits.min_free_disk",
        "fetching.proxy",
        "fetching.proxy_resolves",
        "fetching.dns_servers",
        "fetching.bind_address",
        "fetching.allowed_ranges",
        "fetching.denied_ranges",
        "recording.template",
    }
)
MACHINE_ONLY = message(
    "This concerns the machines that crawl and the networks they reach: only people who may manage "
    "collectors can change it."
)
#: What holds where a profile says nothing: the hosts of a domain share a queue and the harvest's limit.
DEFAULTS: Mapping[str, Any] = {"queues": {"by": "domain"}}

#: What is wrong, by the name that pydantic gives the fault.
FAULTS: Mapping[str, Message] = {
    "extra_forbidden": message("There is no such key."),
    "int_parsing": message("This must be a whole number."),
    "int_type": message("This must be a whole number."),
    "int_from_float": message("This must be a whole number."),
    "float_parsing": message("This must be a number."),
    "float_type": message("This must be a number."),
    "finite_number": message("This must be a number."),
    "bool_parsing": message("This must be yes or no (in TOML: true or false)."),
    "bool_type": message("This must be yes or no (in TOML: true or false)."),
    "string_type": message("This must be a text."),
    "tuple_type": message("This must be a list."),
    "mapping_type": message("This must be a table of names and values."),
    "dict_type": message("This must be a table of names and values."),
    "model_type": message("This must be a section with keys."),
}


class BadOrder(Refused):
    """Documents that give no order: what is wrong, key by key."""

    def __init__(self, faults: Mapping[str, Message]) -> None:
        self.faults = faults  # by key: scope.max_hops
        key, fault = next(iter(faults.items()))
        said = " ".join(f"{key}: {fault}" if key else str(fault) for key, fault in faults.items())
        super().__init__(fault if len(faults) == 1 and not key else Message(said), field=key or None)


def order_of(document: Mapping[str, Any], *over: Mapping[str, Any]) -> CrawlOrder:
    """The order that a profile gives with what stands over it, the last the strongest.

    Raises `BadOrder` with every wrong key.
    """
    facts: dict[str, Any] = dict(document)
    for one in over:
        facts = merged(facts, one)
    try:
        return CrawlOrder.model_validate(facts)
    except ValidationError as error:
        found = [
            _fault(facts, one["loc"], one["type"], one["msg"], one.get("ctx", {})) for one in error.errors()
        ]
        raise BadOrder(dict(found)) from None


def checked(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document as it is kept: judged, and only what differs from the defaults.

    Raises `BadOrder` with every wrong key.
    """
    check_depth(document)
    wrong = {key: why for key, why in RESERVED.items() if _has(document, key)}
    if wrong:
        raise BadOrder(wrong)
    order = order_of(DEFAULTS, document)
    if "@" in order.fetching.proxy:
        text = message("A profile is read by many and kept for ever: it must not hold a password.")
        raise BadOrder({"fetching.proxy": text})
    # Always said: the default of a crawl at the command line is another one.
    kept = merged(slim(order), {"queues": {"by": order.queues.by.value}})
    if emptied := [key for key, value in flat(kept) if value is None]:
        text = message("This cannot be nothing. Write a larger number, or leave it to the default.")
        raise BadOrder(dict.fromkeys(emptied, text))
    return kept


def check_machine(before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    """Raises `BadOrder` where a document says something else of the machines than the one before."""
    if wrong := [one.key for one in differences(before, after) if one.key in MACHINE]:
        raise BadOrder(dict.fromkeys(wrong, MACHINE_ONLY))


def machine_part(document: Mapping[str, Any]) -> dict[str, Any]:
    """What a document says of the machines."""
    return _kept(document, MACHINE.__contains__)


def without_machine(document: Mapping[str, Any]) -> dict[str, Any]:
    return _kept(document, lambda key: key not in MACHINE)


def check_depth(document: object) -> None:
    """Refuse what is nested deeper than any order, before anything walks through it."""
    level = [document]
    for _ in range(DEEPEST):
        level = [inner for one in level for inner in _inside(one)]
        if not level:
            return
    raise BadOrder(
        {"": message("Lists or tables stand in each other more than %(most)s deep.", most=DEEPEST)}
    )


def slim(order: CrawlOrder) -> dict[str, Any]:
    """What differs from the defaults, as JSON and TOML can hold it."""
    whole = order.model_dump(mode="json", context={"secrets": True})
    return _less(whole, _defaults())


def flat(document: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Each key of a document with its value: ("scope.max_hops", 20)."""
    for key, value in document.items():
        name = f"{above}{key}"
        if isinstance(value, Mapping) and not above:
            yield from flat(value, f"{name}.")
        else:
            yield name, value


def ordered(document: Mapping[str, Any]) -> dict[str, Any]:
    """The same with its keys as a crawl order has them: the database keeps no order."""
    return _sorted(document, CrawlOrder)


def _sorted(table: Mapping[str, Any], model: type[BaseModel]) -> dict[str, Any]:
    found = {}
    for key in sorted(table, key=[*model.model_fields, *table].index):
        info = model.model_fields.get(key)
        part = info.annotation if info else None
        is_part = isinstance(part, type) and issubclass(part, BaseModel) and isinstance(table[key], Mapping)
        found[key] = _sorted(table[key], part) if is_part else table[key]  # type: ignore[arg-type]
    return found


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Difference]:
    """The keys in which two documents differ, in the order in which a crawl order has them."""
    old, new, defaults = dict(flat(before)), dict(flat(after)), dict(flat(_defaults()))
    keys = [*defaults, *(key for key in (*old, *new) if key not in defaults)]
    found = [Difference(key, old.get(key), new.get(key)) for key in dict.fromkeys(keys)]
    return [one for one in found if one.before != one.after]


def default_of(key: str) -> Any:
    return dict(flat(_defaults())).get(key)


# --- steps


def _defaults() -> dict[str, Any]:
    return CrawlOrder().model_dump(mode="json")


def _less(whole: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for key, value in whole.items():
        default = defaults.get(key)
        if value == default:
            continue
        is_section = isinstance(CrawlOrder.model_fields.get(key) and getattr(CrawlOrder(), key), BaseModel)
        kept[key] = _less(value, default) if is_section and isinstance(default, Mapping) else value
    return kept


def _kept(document: Mapping[str, Any], wanted: Callable[[str], bool]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in document.items():
        if isinstance(value, Mapping):
            inner = {key: one for key, one in value.items() if wanted(f"{name}.{key}")}
            found |= {name: inner} if inner else {}
        elif wanted(name):
            found[name] = value
    return found


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list | tuple) else ()


def _has(document: Mapping[str, Any], key: str) -> bool:
    section, _, inner = key.rpartition(".")
    table = document.get(section, {}) if section else document
    return isinstance(table, Mapping) and bool(table.get(inner))


def _fault(
    facts: Mapping[str, Any], place: tuple[int | str, ...], kind: str, said: str, about: Mapping[str, Any]
) -> tuple[str, Message]:
    """The key of a fault, and a sentence about it."""
    if not place:
        said = said.removeprefix("Value error, ")
        named = re.search(r"\b[a-z]+\.[a-z_]+", said)
        return named[0] if named else "", Message(said)
    key = ".".join(str(step) for step in place[:2])
    if kind in FAULTS:
        return key, FAULTS[kind]
    if kind == "greater_than_equal":
        return key, message("This must be %(number)s or more.", number=about["ge"])
    if kind == "less_than_equal":
        return key, message("This must be %(number)s or less.", number=about["le"])
    if kind in {"enum", "string_pattern_mismatch"}:
        wrong = str(_value(facts, place))[:SHOWN]
        choices = about.get("expected") or str(about.get("pattern", "")).strip("^$()").replace("|", ", ")
        return key, message("“%(value)s” is none of: %(choices)s.", value=wrong, choices=choices)
    return key, Message(said)


def _value(facts: Any, place: tuple[int | str, ...]) -> object:
    for step in place:
        try:
            facts = facts[step]
        except (KeyError, IndexError, TypeError):
            return None
    return facts
