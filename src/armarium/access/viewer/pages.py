"""All pages of viewings."""

from fastapi import APIRouter

from armarium.access.viewer import pages_jobs, pages_list, pages_missing, pages_settings
from armarium.access.viewer.showing import ADDRESS as ADDRESS

pages = APIRouter()
for area in (pages_list, pages_settings, pages_jobs, pages_missing):
    pages.include_router(area.pages)
