"""What figures of use speak of, and how the API and the command show them."""

from dataclasses import dataclass
from datetime import date

from pydantic import BaseModel

from armarium.core.message import Message, message

ELSEWHERE = 0  # the number that stands for no network of ours
OTHER = "other"  # sites that were read so seldom that naming them might say who did
VIEWINGS = "viewings"  # staff who check what jobs brought
SEVERAL = "several"  # collections at once: there are more ways to choose them than figures are worth
FEWEST = 5  # views of a site in a month; sites with fewer are put together

KINDS: dict[str, Message] = {
    "visit": message("Visits"),
    "search": message("Searches"),
    "page": message("Pages"),
    "part": message("Parts of pages"),
    "list": message("Lists of captures"),
    "record": message("WARC records"),
    "file": message("Files"),
}
OUTCOMES: dict[str, Message] = {
    "shown": message("shown"),
    "missing": message("not in the archive"),
    "restricted": message("restricted"),
}


@dataclass(frozen=True)
class Question:
    """Which figures; days are included. Empty: all."""

    since: date
    until: date
    collection: str = ""
    monthly: bool = False


@dataclass(frozen=True)
class Figure:
    """So often, so many bytes, of one thing."""

    name: str
    times: int
    size: int = 0


@dataclass(frozen=True)
class Stretch:
    """A day or a month."""

    begin: date
    visits: int = 0
    pages: int = 0  # that were shown
    refused: int = 0  # pages that were missing or restricted


@dataclass(frozen=True)
class Report:
    question: Question
    over_time: list[Stretch]
    kinds: list[Figure]
    outcomes: list[Figure]  # of pages
    collections: list[Figure]  # pages shown
    networks: list[Figure]  # pages shown; the name is empty for elsewhere
    domains: list[Figure]  # pages shown, whole months
    names: list[str]  # of all collections that were ever read, to choose from


class FigureShown(BaseModel):
    name: str
    times: int
    bytes: int


class StretchShown(BaseModel):
    begin: date
    visits: int
    pages: int
    refused: int


class UseShown(BaseModel):
    """`network` with an empty name: from elsewhere. Domains are those of whole months."""

    since: date
    until: date
    collection: str
    monthly: bool
    over_time: list[StretchShown]
    kinds: list[FigureShown]
    outcomes: list[FigureShown]
    collections: list[FigureShown]
    networks: list[FigureShown]
    domains: list[FigureShown]


def shown(report: Report) -> UseShown:
    question = report.question
    return UseShown(
        since=question.since,
        until=question.until,
        collection=question.collection,
        monthly=question.monthly,
        over_time=[StretchShown(**vars(one)) for one in report.over_time],
        kinds=figures(report.kinds),
        outcomes=figures(report.outcomes),
        collections=figures(report.collections),
        networks=figures(report.networks),
        domains=figures(report.domains),
    )


def figures(found: list[Figure]) -> list[FigureShown]:
    return [FigureShown(name=one.name, times=one.times, bytes=one.size) for one in found]
