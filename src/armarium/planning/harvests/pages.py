"""The pages of harvests."""

from fastapi import APIRouter

from armarium.planning.harvests import (
    pages_calendar,
    pages_definition,
    pages_domains,
    pages_event,
    pages_list,
    pages_runs,
)

pages = APIRouter()
# Addresses of one word before those with a number: the first that fits is taken.
for module in (pages_list, pages_event, pages_definition, pages_domains, pages_runs, pages_calendar):
    pages.include_router(module.pages)
