"""How a page gets the service of its room: by the service's class."""

from collections.abc import Callable
from typing import Annotated, TypeVar

from fastapi import Depends
from starlette.requests import HTTPConnection

from armarium.accounts.directory.service import Directories, DirectoryAccounts
from armarium.accounts.service import Accounts
from armarium.accounts.sessions import Sessions
from armarium.accounts.tokens import Tokens
from armarium.core.services import Services

T = TypeVar("T")


def service(kind: type[T]) -> Callable[[HTTPConnection], T]:
    """A FastAPI dependency that gives the service of this class."""

    def provide(connection: HTTPConnection) -> T:
        services: Services = connection.app.state.services
        return services.get(kind)

    return provide


# The services of the shell itself; rooms name theirs in the same way.
AccountsService = Annotated[Accounts, Depends(service(Accounts))]
SessionsService = Annotated[Sessions, Depends(service(Sessions))]
DirectoriesService = Annotated[Directories, Depends(service(Directories))]
DirectoryAccountsService = Annotated[DirectoryAccounts, Depends(service(DirectoryAccounts))]
TokensService = Annotated[Tokens, Depends(service(Tokens))]
