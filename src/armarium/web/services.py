"""How a page gets the service of its room: by the service's class."""

from collections.abc import Callable
from typing import TypeVar

from starlette.requests import HTTPConnection

from armarium.core.services import Services

T = TypeVar("T")


def service(kind: type[T]) -> Callable[[HTTPConnection], T]:
    """A FastAPI dependency that gives the service of this class."""

    def provide(connection: HTTPConnection) -> T:
        services: Services = connection.app.state.services
        return services.get(kind)

    return provide
