"""The pages of jobs."""

from fastapi import APIRouter

from armarium.planning.history import pages as pages_history
from armarium.planning.jobs import pages_job, pages_list, pages_progress

pages = APIRouter()
pages.include_router(pages_list.pages)
pages.include_router(pages_progress.running_pages)
pages.include_router(pages_progress.pages)
pages.include_router(pages_job.pages)
pages.include_router(pages_history.pages)
