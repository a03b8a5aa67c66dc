"""How a page gets the service of its room: by the service's class."""

from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar

from fastapi import Depends
from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection

from armarium.accounts.directory.service import Directories, DirectoryAccounts
from armarium.accounts.service import Accounts
from armarium.accounts.sessions import Sessions
from armarium.accounts.tokens import Tokens
from armarium.core.services import Services

T = TypeVar("T")


def service(kind: type[T]) -> Callable[[HTTPConnection], Awaitable[T]]:
    """A FastAPI dependency that gives the service of this class."""

    async def provide(connection: HTTPConnection) -> T:
        services: Services = connection.app.state.services
        if services.has(kind):  # a thread for each of them would cost more than some pages
            return services.get(kind)
        return await run_in_threadpool(services.get, kind)

    return provide


# The services of the shell itself; rooms name theirs in the same way.
AccountsService = Annotated[Accounts, Depends(service(Accounts))]
SessionsService = Annotated[Sessions, Depends(service(Sessions))]
DirectoriesService = Annotated[Directories, Depends(service(Directories))]
DirectoryAccountsService = Annotated[DirectoryAccounts, Depends(service(DirectoryAccounts))]
TokensService = Annotated[Tokens, Depends(service(Tokens))]
