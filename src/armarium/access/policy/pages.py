"""All pages of the rules."""

from fastapi import APIRouter

from armarium.access.policy import networks_pages, rules_pages, take_downs, why

pages = APIRouter()
for _module in (rules_pages, take_downs, why, networks_pages):
    pages.include_router(_module.pages)
