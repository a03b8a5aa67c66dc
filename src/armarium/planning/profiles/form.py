"""The keys of a crawl order as a form, made from the model itself, so that none is forgotten; and back.

Nothing is judged here: rules.checked does that.
"""

import ast
import enum
import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from types import NoneType, UnionType
from typing import Any, Protocol, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from armarium.core.crawl_order import CrawlOrder
from armarium.planning.profiles.rules import DEFAULTS, RESERVED, flat

ALTERNATIVES = re.compile(r"\^\(([\w|-]+)\)\$")


class Kind(enum.StrEnum):
    """How a key is asked for."""

    TEXT = "text"
    NUMBER = "number"
    YES_NO = "yes-no"
    CHOICE = "choice"
    LINES = "lines"  # one a line
    PAIRS = "pairs"  # `name = value`, one a line
    HEADERS = "headers"  # `name: value`, one a line


@dataclass(frozen=True)
class Key:
    path: str  # scope.max_hops, and the name of its input
    kind: Kind
    help: str
    default: Any
    optional: bool = False  # empty means: none
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Part:
    """A section of a crawl order."""

    name: str  # scope; empty for the keys above all sections
    keys: list[Key] = field(default_factory=list)


#: Set by planning for every profile.
NOT_ASKED = frozenset(RESERVED)
#: Defaults of planning where they differ from those of a crawl.
DEFAULT = dict(flat(DEFAULTS))


@lru_cache(maxsize=1)
def parts() -> tuple[Part, ...]:
    """The sections of a crawl order with the keys that a profile may say."""
    said = texts_below_keys()
    found = [Part("", list(_keys("", CrawlOrder, said)))]
    for name, info in CrawlOrder.model_fields.items():
        if name in NOT_ASKED:
            continue
        if isinstance(model := info.annotation, type) and issubclass(model, BaseModel):
            found.append(Part(name, list(_keys(f"{name}.", model, said))))
    return tuple(part for part in found if part.keys)


def all_keys() -> Iterator[Key]:
    for part in parts():
        yield from part.keys


def _keys(above: str, model: type[BaseModel], said: Mapping[tuple[str, str], str]) -> Iterator[Key]:
    for name, info in model.model_fields.items():
        path = f"{above}{name}"
        kind, optional, choices = _kind(info)
        if kind is None or path in NOT_ASKED:
            continue
        text = " ".join(said.get((model.__name__, name), "").replace("`", "").split())
        default = DEFAULT.get(path, info.get_default())
        # A number cannot be made none: TOML has no word for it, and a larger number does the same.
        yield Key(path, kind, text, default, optional and default is None, choices)


def _kind(info: FieldInfo) -> tuple[Kind | None, bool, tuple[str, ...]]:
    """How to ask for a key; None for one that is a section or a list of sections."""
    annotation, patterns = _plain(info)
    optional = get_origin(annotation) in (Union, UnionType) and NoneType in get_args(annotation)
    if optional:
        annotation = next(one for one in get_args(annotation) if one is not NoneType)
        annotation = get_args(annotation)[0] if hasattr(annotation, "__metadata__") else annotation
    if isinstance(annotation, type) and issubclass(annotation, enum.StrEnum):
        return Kind.CHOICE, optional, tuple(one.value for one in annotation)
    for pattern in patterns:
        if found := ALTERNATIVES.fullmatch(pattern):
            return Kind.CHOICE, optional, tuple(found[1].split("|"))
    simple = {bool: Kind.YES_NO, int: Kind.NUMBER, float: Kind.NUMBER, str: Kind.TEXT}
    if annotation in simple:
        return simple[annotation], optional, ()
    return _many(annotation), optional, ()


def _many(annotation: Any) -> Kind | None:
    inner = get_args(annotation)
    if get_origin(annotation) is tuple:
        if inner[0] is str:
            return Kind.LINES
        return Kind.HEADERS if get_origin(inner[0]) is tuple else None
    return Kind.PAIRS if inner == (str, str) else None


def _plain(info: FieldInfo) -> tuple[Any, list[str]]:
    return info.annotation, [found for one in info.metadata if (found := getattr(one, "pattern", None))]


def texts_below_keys() -> dict[tuple[str, str], str]:
    """The texts that stand below the keys in the source, by class and key.

    The form shows them, and docs/reference/crawl-order.md is made from them. pydantic could read them too,
    but would do so at every start of a crawl.
    """
    found = {}
    module = inspect.getmodule(CrawlOrder)
    assert module is not None
    for node in ast.parse(inspect.getsource(module)).body:
        if not isinstance(node, ast.ClassDef):
            continue
        for key, below in pairwise(node.body):
            match key, below:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    found[node.name, name] = text
    return found


# A document as a form, and back ---------------------------------------------------------------------


BLANKS = str.maketrans("", "", " \t\xa0\u202f\u2009")  # people group the digits of large numbers


class Posted(Protocol):
    """A form as it was sent: see `web.forms.Form`."""

    def get(self, name: str) -> str: ...

    def ticked(self, name: str) -> bool: ...


def typed(document: Mapping[str, Any]) -> dict[str, object]:
    """Values for the form: what the document says and, where it says nothing, the defaults."""
    said = dict(flat(document))
    return {key.path: written(key, said.get(key.path, key.default)) for key in all_keys()}


def written(key: Key, value: Any) -> str | None:
    """A value as one would type it; for a box to tick: None if it is not ticked."""
    match key.kind:
        case Kind.YES_NO:
            return "yes" if value else None
        case Kind.LINES:
            return "\n".join(value)
        case Kind.PAIRS:
            return "\n".join(f"{name} = {one}" for name, one in value.items())
        case Kind.HEADERS:
            return "\n".join(f"{name}: {one}" for name, one in value)
        case Kind.NUMBER:
            return "" if value is None else str(value).removesuffix(".0")
        case _:
            return "" if value is None else str(value)


def shown(value: object) -> str | None:
    """A value in a line, for tables of differences; None for the default."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {one}" for name, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(": ".join(one) if isinstance(one, list | tuple) else str(one) for one in value)
    return str(value).removesuffix(".0")


def document_of(form: Posted) -> dict[str, Any]:
    """What the form says. Wrong numbers stay text, for the judgement to name them."""
    document: dict[str, Any] = {}
    for key in all_keys():
        section, _, name = key.path.rpartition(".")
        table = document.setdefault(section, {}) if section else document
        if (value := _value(key, form)) is not NOTHING:
            table[name] = value
    return document


NOTHING = object()  # the default holds


def _value(key: Key, form: Posted) -> Any:
    text = form.get(key.path).strip()
    match key.kind:
        case Kind.YES_NO:
            return form.ticked(key.path)
        case Kind.NUMBER if not text:
            return None if key.optional else NOTHING
        case Kind.NUMBER:
            return text.translate(BLANKS)
        case Kind.LINES:
            return _lines(text)
        case Kind.PAIRS:
            return _pairs(_lines(text), "=")
        case Kind.HEADERS:
            return list(_pairs(_lines(text), ":").items())
        case Kind.CHOICE if not text:
            return NOTHING
        case _:
            return text


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _pairs(lines: Iterable[str], sign: str) -> dict[str, str]:
    halves = (line.partition(sign) for line in lines)
    return {name.strip(): value.strip() for name, _, value in halves}
