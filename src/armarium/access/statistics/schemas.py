"""Figures of use as the API and the command show them."""

from datetime import date

from pydantic import BaseModel

from armarium.access.statistics.model import Figure, Report


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
