"""Documents of the API that are made from a dataclass."""

import asyncio
from dataclasses import dataclass
from typing import Annotated

from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient, Response
from pydantic import Field

from armarium.web import schemas


@dataclass(frozen=True)
class Shelf:
    id: int = 0
    name: Annotated[str, Field(max_length=5)] = ""
    place: Annotated[int, Field(ge=1)] = 1
    edition: int = 1


Given = Annotated[Shelf, schemas.given(Shelf, "ShelfGiven")]
SHOWN = schemas.shown(Shelf, "ShelfShown")
app = FastAPI()


@app.post("/shelves", response_model=SHOWN)
def create(given: Given) -> Shelf:
    return given


def post(document: object) -> Response:
    async def ask() -> Response:
        async with AsyncClient(transport=ASGITransport(app), base_url="http://test") as client:
            return await client.post("/shelves", json=document)

    return asyncio.run(ask())


def test_a_document_becomes_the_dataclass_and_the_dataclass_a_document() -> None:
    assert post({"name": "Maps"}).json() == {"id": 0, "name": "Maps", "place": 1}


def test_bounds_names_and_unknown_members_are_judged_before_the_route() -> None:
    for wrong in ({}, {"name": "Too long"}, {"name": "a", "place": 0}, {"name": "a", "id": 7}):
        assert post(wrong).status_code == 422


def test_the_description_has_bounds_where_something_is_given_and_none_where_it_is_shown() -> None:
    described = app.openapi()["components"]["schemas"]
    assert described["ShelfGiven"]["properties"]["place"]["minimum"] == 1
    assert described["ShelfGiven"]["required"] == ["name"]
    assert "minimum" not in described["ShelfShown"]["properties"]["place"]
    assert "edition" not in described["ShelfShown"]["properties"]


def test_what_is_shown_may_leave_fields_out_and_add_others() -> None:
    shown = schemas.shown(Shelf, "ShelfInShort", without=("edition", "place"), doc="In short.", books=int)
    assert shown(id=1, name="Maps", books=3).model_dump() == {"id": 1, "name": "Maps", "books": 3}
    assert shown.model_json_schema()["description"] == "In short."


def test_schemas_of_one_name_are_told_apart_by_their_module() -> None:
    rooms = FastAPI()
    for room in ("maps", "prints"):
        shown = schemas.shown(Shelf, "ShelfShown", without=() if room == "maps" else ("place",), module=room)
        rooms.get(f"/{room}", response_model=shown)(Shelf)
    assert set(rooms.openapi()["components"]["schemas"]) >= {"maps__ShelfShown", "prints__ShelfShown"}
