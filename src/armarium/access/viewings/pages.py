"""All pages of viewings."""

from fastapi import APIRouter

from armarium.access.viewings import job_pages, missing_pages, pages_list, pages_settings
from armarium.access.viewings.page_data import ADDRESS as ADDRESS

pages = APIRouter()
for area in (pages_list, pages_settings, job_pages, missing_pages):
    pages.include_router(area.pages)
