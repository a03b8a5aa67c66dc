"""The API of figures of use."""

from datetime import date
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel

from armarium.access.statistics.model import Figure, Question, Report
from armarium.access.statistics.service import Statistics
from armarium.accounts.model import Permission
from armarium.web.api import operation
from armarium.web.services import service

api = APIRouter(prefix="/access/use", tags=["access"])

StatisticsService = Annotated[Statistics, Depends(service(Statistics))]


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
    question: Question = report.question
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


@api.get("", summary="How much was read", **operation(Permission.ACCESS_VIEW))
def use(
    statistics: StatisticsService,
    since: Annotated[date | None, Query(alias="from", description="First day; usually 30 days ago.")] = None,
    until: Annotated[date | None, Query(alias="to", description="Last day, included; usually today.")] = None,
    collection: Annotated[str, Query(max_length=200)] = "",
    monthly: bool | None = None,
) -> UseShown:
    question = statistics.question(since, until, collection=collection, monthly=monthly)
    return shown(statistics.report(question))
