"""All pages of the rules."""

from fastapi import APIRouter

from armarium.access.networks import pages as networks_pages
from armarium.access.rules import pages as rules_pages
from armarium.access.rules import take_down_pages, why_page

pages = APIRouter()
for _module in (rules_pages, take_down_pages, why_page, networks_pages):
    pages.include_router(_module.pages)
