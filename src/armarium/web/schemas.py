"""Documents of the API, made from the dataclass of an entity: what programs give, and what they are shown.

The route says the dataclass, which the type checker knows; FastAPI is told the schema.
"""

from collections.abc import Collection
from dataclasses import MISSING, Field, fields
from typing import Annotated, Any, get_origin

from fastapi import Depends
from pydantic import BaseModel, ConfigDict, create_model

from armarium.core.entities import COUNTED, D, Dataclass
from armarium.web.paging import Listing


def shown(
    kind: type[Dataclass], name: str, *, first: Collection[str] = ("id",), only: Collection[str] = ()
) -> type[BaseModel]:
    """`response_model` of routes that return the dataclass: all its fields but the edition, or only some."""
    chosen = _ordered(kind, only or first)[: len(only) or None]
    kept = {one.name: (_bare(one.type), ...) for one in chosen if one.name != "edition"}
    return create_model(name, __config__=ConfigDict(from_attributes=True), **kept)  # type: ignore[call-overload,no-any-return]


def listing(schema: type[BaseModel]) -> Any:
    """`response_model` of routes that return a `Listing` of the dataclass."""
    return Listing.__class_getitem__(schema)


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
    return [*(by_name[one] for one in first), *(one for name, one in by_name.items() if name not in first)]


def _bare(kind: Any) -> Any:
    """Without the bounds of what may be given."""
    return kind.__origin__ if get_origin(kind) is Annotated else kind


def _default(field: Field[Any]) -> Any:
    return ... if field.default is MISSING else field.default
