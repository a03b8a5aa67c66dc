"""A running site with files in its archive, for the pages of intake and batches."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from armarium.core.actor import SYSTEM
from armarium.db.database import Database
from armarium.storage.intake.service import Intake
from tests.integration.storage.outside import warc
from tests.site import RunningSite, running_site


@contextmanager
def archive_site(database: Database, home: Path, **environ: str) -> Iterator[RunningSite]:
    """With three files from outside, and one that was no W/ARC file."""
    outside = home / "outside"
    outside.mkdir(parents=True)
    for name in ("a.warc.gz", "b.warc.gz", "c.warc.gz"):
        (outside / name).write_bytes(warc(name.encode()))
    (outside / "bad.warc.gz").write_bytes(b"<script>alert(1)</script>")
    with running_site(database, home, **environ) as site:
        intake = site.house.services().get(Intake)
        intake.take(SYSTEM, [outside], accession_name="Attic <b>", note="Found in the attic")
        yield site
