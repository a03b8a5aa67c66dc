"""Routes that FastAPI works out when they are first asked for.

FastAPI takes a millisecond and a half to read the signature of one and to make its models. There are
more than 600, and a process at rest answers five of them.
"""

from collections.abc import Callable, Iterable
from typing import Any

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.routing import compile_path, get_name


class LateRoute(APIRoute):
    """Knows at once which requests are its own, and the rest when they come or it is described."""

    def __init__(
        self,
        path: str,
        endpoint: Callable[..., Any],
        *,
        methods: Iterable[str] | None = None,
        name: str | None = None,
        **options: Any,
    ) -> None:
        self.path, self.endpoint = path, endpoint
        self.path_regex, self.path_format, self.param_convertors = compile_path(path)
        self.methods = {method.upper() for method in methods or ("GET",)}
        self.name = name or get_name(endpoint)
        self.include_in_schema = options.get("include_in_schema", True)
        self._options = options
        self._whole = False

    def __getattr__(self, attribute: str) -> Any:
        if self.__dict__.get("_whole", True):
            raise AttributeError(attribute)
        super().__init__(self.path, self.endpoint, methods=self.methods, name=self.name, **self._options)
        self._whole = True
        return getattr(self, attribute)

    def under(self, prefix: str) -> "LateRoute":
        """The same below this path."""
        return type(self)(
            prefix + self.path, self.endpoint, methods=self.methods, name=self.name, **self._options
        )


class Router(APIRouter):
    """Where a room declares its routes."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"route_class": LateRoute, **options})


def joined(*routers: APIRouter) -> Router:
    """The routers of a room's parts as one. To include them would make FastAPI work each route out twice."""
    whole = Router()
    for router in routers:
        whole.routes.extend(router.routes)
    return whole


def below(prefix: str, router: APIRouter) -> Iterable[LateRoute]:
    """The routes of a router, below this path."""
    for route in router.routes:
        assert isinstance(route, LateRoute), f"{route} was not declared with Router"
        yield route.under(prefix)
