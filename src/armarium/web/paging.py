"""Numbers in addresses, and long lists in pages."""

from dataclasses import dataclass
from typing import Annotated, Generic, TypeVar
from urllib.parse import urlencode

from fastapi import Path, Query
from pydantic import BaseModel
from starlette.requests import Request

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


class Listing(BaseModel, Generic[T]):
    """A list as the API gives it: this stretch, and how many there are in all."""

    items: list[T]
    total: int
