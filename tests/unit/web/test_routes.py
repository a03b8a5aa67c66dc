"""Routes that are worked out late answer, and are described, as if they had been whole from the start."""

import asyncio
from typing import Annotated, Any

import httpx
import pytest
from fastapi import Depends, FastAPI

from armarium.web.routes import LateRoute, Router, below, joined


def twice(number: int) -> int:
    return 2 * number


class Louder(LateRoute):
    """Another kind of route, as the door for collectors has it."""


things = Router(prefix="/things", tags=["things"])
others = Router(prefix="/others", route_class=Louder)


@things.get("/{number}")
def thing(doubled: Annotated[int, Depends(twice)], more: int = 0) -> dict[str, int]:
    return {"doubled": doubled, "more": more}


@others.post("/{number}")
def other(number: int) -> int:
    return number


@pytest.fixture
def app() -> FastAPI:
    app = FastAPI()
    app.router.routes.extend(below("/api", joined(things, others)))
    return app


def asked(app: FastAPI, path: str, method: str = "GET") -> httpx.Response:
    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://site.test") as client:
            return await client.request(method, path)

    return asyncio.run(ask())


def refusal(answer: httpx.Response) -> Any:
    return answer.status_code, answer.json()["detail"][0]["loc"]


def test_a_route_answers_with_its_values_checked(app: FastAPI) -> None:
    assert asked(app, "/api/things/4?more=1").json() == {"doubled": 8, "more": 1}
    assert refusal(asked(app, "/api/things/four")) == (422, ["path", "number"])
    assert asked(app, "/api/others/4", "POST").json() == 4


def test_another_verb_or_path_is_refused_before_anything_is_worked_out(app: FastAPI) -> None:
    assert asked(app, "/api/things/4", "POST").status_code == 405
    assert asked(app, "/things/4").status_code == 404
    assert not any("dependant" in vars(route) for route in app.routes if isinstance(route, LateRoute))


def test_it_is_described_as_fastapi_describes_its_own(app: FastAPI) -> None:
    plain = FastAPI()
    for router in (things, others):
        plain.include_router(router, prefix="/api")
    assert app.openapi()["paths"] == plain.openapi()["paths"]


def test_a_route_below_a_path_keeps_its_kind_and_the_first_stays_as_it_was() -> None:
    assert [(type(route), route.path) for route in below("/api", joined(things, others))] == [
        (LateRoute, "/api/things/{number}"),
        (Louder, "/api/others/{number}"),
    ]
    assert [route.path for route in below("", things)] == ["/things/{number}"]


def test_what_a_route_does_not_have_it_does_not_have_when_it_is_whole_either() -> None:
    (route,) = below("/api", things)
    with pytest.raises(AttributeError, match="colour"):
        assert not route.colour
