"""The words in which librarians say how a site is to be harvested."""

from dataclasses import dataclass
from enum import StrEnum


class Budget(StrEnum):
    """How much of a site is taken at most; what it means in objects and bytes is said by the transfer."""

    SMALL = "small"
    MEDIUM = "medium"
    LARGE = "large"


class Frequency(StrEnum):
    DAILY = "daily"
    WEEKLY = "weekly"
    MONTHLY = "monthly"
    QUARTERLY = "quarterly"
    HALF_YEARLY = "half-yearly"
    ANNUAL = "annual"
    ONCE = "once"


class Depth(StrEnum):
    PAGE = "page"
    PAGE_1 = "page+1"
    PAGE_2 = "page+2"
    PATH = "path"
    HOST = "host"
    DOMAIN = "domain"


class State(StrEnum):
    """Of a record: only validated, active ones are handed to planning."""

    PROPOSED = "proposed"
    VALIDATED = "validated"
    REFUSED = "refused"


class Origin(StrEnum):
    """How a record came into the collection."""

    ENTRY = "entry"
    IMPORT = "import"
    NOMINATION = "nomination"
    API = "api"


@dataclass(frozen=True)
class Combination:
    """What is chosen together. Some combinations make no sense, or cost too much: see the matrix."""

    budget: Budget
    frequency: Frequency
    depth: Depth
