"""The API of figures of use."""

from datetime import date
from typing import Annotated

from fastapi import Depends, Query

from armarium.access.statistics.schemas import UseShown, shown
from armarium.access.statistics.service import Statistics
from armarium.accounts.model import Permission
from armarium.web.api import operation
from armarium.web.routes import Router
from armarium.web.services import service

api = Router(prefix="/access/use", tags=["access"])

StatisticsService = Annotated[Statistics, Depends(service(Statistics))]


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
