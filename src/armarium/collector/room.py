"""Room on the disk while a job runs, where it is short: files that nobody here needs any more are deleted.

A file may go once the server has stored it and the crawl has committed all that is in it: from then on a
crawl that is gone on with never reads it. Should the machine lose power in the wrong moment, some addresses
are fetched once more; nothing is lost. Crawls of several processes keep their files: a position that one of
them has committed says nothing about the others.
"""

import json
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path

import structlog

from armarium.collector.job_folder import JobFolder
from armarium.harvest.frontier.reader import FrontierReader
from armarium.harvest.record.companion import companion_of

log = structlog.get_logger(__name__)


def make_room(folder: JobFolder, stored: Collection[str], wanted: int) -> None:
    """Delete such files, the oldest first, until so many bytes are free."""
    if shutil.disk_usage(folder.root).free >= wanted:
        return
    committed = _committed(folder.crawl.frontier_file)
    for path in sorted(folder.crawl.warcs / name for name in stored):
        if shutil.disk_usage(folder.root).free >= wanted:
            return
        if path.exists() and committed.get(path.name, -1) >= path.stat().st_size:
            path.unlink()
            companion_of(path).unlink(missing_ok=True)
            log.info("stored file deleted, as the disk is nearly full", file=path.name)


def _committed(frontier_file: Path) -> Mapping[str, int]:
    """How far each file was written when the crawl last committed."""
    if not frontier_file.exists():
        return {}
    reader = FrontierReader(frontier_file)
    try:
        found: dict[str, int] = json.loads(str(reader.recall("warcs") or "{}"))
    finally:
        reader.close()
    return found
