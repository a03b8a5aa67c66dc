"""A network: a place from which people read. Bounds are those of the API."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from pydantic import Field

from armarium.core.entities import Described

LONGEST_NOTE = 4000
MOST_RANGES = 1000

Range = Annotated[str, Field(max_length=60)]  # CIDR


@dataclass(frozen=True)
class NewNetwork:
    """What people enter."""

    name: Annotated[str, Field(max_length=200)]
    ranges: Annotated[tuple[Range, ...], Field(max_length=MOST_RANGES)]
    note: Annotated[str, Field(max_length=LONGEST_NOTE)] = ""


@dataclass(frozen=True)
class Network(NewNetwork, Described):
    id: int = 0
    edition: int = 1
    created_at: datetime | None = None
    created_by: str = ""

    def described(self) -> dict[str, object]:
        return {"name": self.name, "ranges": list(self.ranges), "note": self.note}
