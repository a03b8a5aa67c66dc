"""The routes of the site, as the application knows them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.routing import Mount

from armarium.accounts.model import Permission
from armarium.planning.collector_api import collector, enrolling
from armarium.web.guard import Needs, in_person, public, signed_in


@dataclass(frozen=True)
class Route:
    method: str
    path: str  # with its places: /api/accounts/{number}
    declared: tuple[Any, ...]  # the guards of the route and of its router
    asked: frozenset[Any]  # all guards that run, those of parameters included
    extra: dict[str, Any] | None
    queried: frozenset[str] = frozenset()  # names in the query

    @property
    def permission(self) -> Permission | None:
        return next((guard.permission for guard in self.asked if isinstance(guard, Needs)), None)

    @property
    def is_public(self) -> bool:
        return public in self.asked

    @property
    def is_for_collectors(self) -> bool:
        """Opened by the key of a machine or its code, never by a person or a program of theirs."""
        return bool({collector, enrolling} & self.asked)

    @property
    def is_api(self) -> bool:
        return self.path.startswith("/api/") and not self.is_for_collectors

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


def routes_of(app: FastAPI) -> list[Route]:
    return sorted(_routes(app), key=lambda route: (route.path, route.method))


def mounts_of(app: FastAPI) -> list[str]:
    return [route.path for route in app.routes if isinstance(route, Mount)]


def _routes(app: FastAPI) -> Iterator[Route]:
    for context in iter_route_contexts(app.routes):
        if isinstance(context.route, Mount):
            continue
        assert context.path is not None
        declared = tuple(d.dependency for d in context.dependencies if _is_guard(d.dependency))
        asked = frozenset(guard for guard in _calls(context.dependant) if _is_guard(guard))
        for method in context.methods or ():
            names = frozenset(_queried(context.dependant))
            yield Route(method, context.path, declared, asked, context.openapi_extra, names)


def _calls(dependant: Any) -> Iterator[Any]:
    for child in dependant.dependencies:
        yield child.call
        yield from _calls(child)


def _queried(dependant: Any) -> Iterator[str]:
    yield from (parameter.alias for parameter in dependant.query_params)
    for child in dependant.dependencies:
        yield from _queried(child)


def _is_guard(call: Any) -> bool:
    return isinstance(call, Needs) or call in (public, signed_in, in_person, collector, enrolling)
