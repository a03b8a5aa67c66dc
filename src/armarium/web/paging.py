"""Numbers in addresses, and long lists in pages."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Generic, TypeVar
from urllib.parse import urlencode

from fastapi import Depends, Path, Query
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.db.stretches import Place
from armarium.web.numbers import LARGEST as LARGEST
from armarium.web.numbers import Amount as Amount
from armarium.web.numbers import Id as Id
from armarium.web.numbers import number_in as number_in

PAGE_SIZE = 50

T = TypeVar("T")

#: The number of a thing in the address.
Number = Annotated[int, Path(ge=1, le=LARGEST)]
PageNumber = Annotated[int, Query(alias="page", ge=1, le=1_000_000)]
Limit = Annotated[int, Query(ge=1, le=1000, description="How many at most.")]
Offset = Annotated[int, Query(ge=0, le=10**9, description="How many to pass over.")]
Cursor = Annotated[
    str, Query(max_length=10_000, description="Where to go on, as `next` of the answer before says.")
]


@dataclass(frozen=True)
class Paging:
    """Where one is in a list; `href` keeps the filters of the present address."""

    request: Request
    number: int
    total: int
    size: int = PAGE_SIZE

    @property
    def last(self) -> int:
        return max(1, -(-self.total // self.size))

    @property
    def offset(self) -> int:
        return offset_of(self.number, self.size)

    def href(self, number: int) -> str:
        kept = [(name, value) for name, value in self.request.query_params.multi_items() if name != "page"]
        return f"{self.request.url.path}?{urlencode([*kept, ('page', str(number))])}"


def offset_of(number: int, size: int = PAGE_SIZE) -> int:
    return (number - 1) * size


#: Of an answer that is a stretch of a list.
Next = Annotated[str | None, Field(description="Given as `cursor`: what follows. null: this is the end.")]


class Listing(BaseModel, Generic[T]):
    """A list as the API gives it: this stretch, and how many there are in all."""

    items: list[T]
    total: int
    next: Next = None


@dataclass(frozen=True)
class Stretch:
    """Which part of a list a program asks for."""

    request: Request
    response: Response
    limit: int
    place: Place

    def next(self) -> str | None:
        """The cursor of the stretch behind this one, which a Link header (RFC 8288) names as well."""
        if cursor := self.place.next:
            following = self.request.url.remove_query_params("offset").include_query_params(cursor=cursor)
            self.response.headers["Link"] = f'<{following.path}?{following.query}>; rel="next"'
        return self.place.next

    def listing(self, items: list[T], total: int) -> Listing[T]:
        return Listing(items=items, total=total, next=self.next())


def stretch_of(size: int) -> Callable[..., Awaitable[Stretch]]:
    """A dependency that reads limit, offset and cursor."""

    async def read(
        request: Request, response: Response, limit: Limit = size, offset: Offset = 0, cursor: Cursor = ""
    ) -> Stretch:
        if cursor and offset:
            raise Refused(message("Give a cursor or an offset, not both."), field="cursor")
        return Stretch(request, response, limit, Place(offset, cursor))

    return read


At = Annotated[Stretch, Depends(stretch_of(50))]
AtHundred = Annotated[Stretch, Depends(stretch_of(100))]
AtThousand = Annotated[Stretch, Depends(stretch_of(1000))]
