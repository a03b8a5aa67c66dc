"""Numbers of things, as people and programs say them. Apart from the pages: services know them too."""

from typing import Annotated

from pydantic import Field

#: PostgreSQL's bigint ends here, and so do our numbers.
LARGEST = 2**63 - 1
#: The number of a thing, and how many or how much of something, in a document of the API.
Id = Annotated[int, Field(ge=1, le=LARGEST)]
Amount = Annotated[int, Field(ge=0, le=LARGEST)]


def number_in(text: str) -> int | None:
    """The number that a field of a form or an address says; None: none that we could have given."""
    if not text.isdecimal() or len(text) > len(str(LARGEST)):  # Python gives up at thousands of digits
        return None
    return int(text) if int(text) <= LARGEST else None
