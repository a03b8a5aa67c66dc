"""Documents of the API, made from the dataclass of an entity: what programs give, and what they are shown.

The route says the dataclass, which the type checker knows; FastAPI is told the schema.
"""

from collections.abc import Collection
from dataclasses import MISSING, Field, fields
from typing import Any

from fastapi import Depends
from pydantic import BaseModel, ConfigDict, create_model

from armarium.core.entities import COUNTED, D, Dataclass, bare
from armarium.web.paging import Listing

#: How what is shown is read from the dataclass.
ATTRIBUTES = ConfigDict(from_attributes=True)


def shown(
    kind: type[Dataclass],
    name: str,
    /,
    *,
    first: Collection[str] = ("id",),
    only: Collection[str] = (),
    without: Collection[str] = ("edition",),
    doc: str | None = None,
    module: str | None = None,
    **also: Any,
) -> type[BaseModel]:
    """`response_model` of routes that return the dataclass: its fields, or only some, mostly
    without the edition.

    `only`: in this order. `also`: what the route adds or says otherwise, by its type. `module`: by
    it, or by that of the dataclass, the description of the API tells schemas of one name apart.
    """
    chosen = [one for one in _ordered(kind, first) if one.name not in without]
    kept: dict[str, Any] = {one.name: bare(one.type) for one in chosen} | also
    kept = {name: kept[name] for name in only or kept}
    taken = {one: (typed, ...) for one, typed in kept.items()}
    return create_model(  # type: ignore[call-overload,no-any-return]
        name, __config__=ATTRIBUTES, __doc__=doc, __module__=module or kind.__module__, **taken
    )


def listing(schema: type[BaseModel]) -> Any:
    """`response_model` of routes that return a `Listing` of the dataclass."""
    return Listing.__class_getitem__(schema)


def several(schema: type[BaseModel]) -> Any:
    """`response_model` of routes that return a list of the dataclass."""
    return list.__class_getitem__(schema)


def given(
    kind: type[D], name: str, *, required: Collection[str] = ("name",), first: Collection[str] = ("name",)
) -> Any:
    """In `Annotated[kind, given(kind, …)]`: the document of a request, as the dataclass."""
    taken = {
        one.name: (one.type, ... if one.name in required else _default(one))
        for one in _ordered(kind, first)
        if one.name not in COUNTED
    }
    doc, strict = "PUT replaces: what is not said is as here.", ConfigDict(extra="forbid")
    schema = create_model(name, __config__=strict, __doc__=doc, **taken)  # type: ignore[call-overload]

    async def read(document: Any) -> D:
        return kind(**{one: getattr(document, one) for one in taken})

    read.__annotations__["document"] = schema  # known only now
    return Depends(read)


def _ordered(kind: type[Dataclass], first: Collection[str]) -> list[Field[Any]]:
    by_name = {one.name: one for one in fields(kind)}
    begin = [by_name[one] for one in first if one in by_name]
    return [*begin, *(one for name, one in by_name.items() if name not in first)]


def _default(field: Field[Any]) -> Any:
    return ... if field.default is MISSING else field.default
