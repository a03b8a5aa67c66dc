"""Other people's files: each is taken, or stands in the report with a reason."""

from pathlib import Path

import pytest

from armarium.core.actor import SYSTEM
from armarium.storage.files.catalogue import Catalogue
from armarium.storage.files.model import FileFilter
from armarium.storage.intake.model import Outcome
from armarium.storage.intake.sources import claims_to_be_archive
from armarium.storage.model import FileState
from tests.integration.storage.outside import Outside

CORPORA = Path(__file__).parents[4].parent / "shared" / "corpora"

# Files named as W/ARC in which no reader finds a record.
FOREIGN = {
    "invalid-archeader-1.arc",
    "invalid-archeader-2.arc",
    "test1.arc",
    "test2.arc",
    "test3.arc",
    "block-sized-records.warc.lz4",
}


#: Three names stand in several projects, with other content each time; a ZIP has no list of its files.
REFUSED = {"example.warc", "example.warc.gz", "example-resource.warc.gz", "1-metadata-1.warc.zip"}
EVERY = 8  # all of them take too long for every day


def sample() -> list[Path]:
    """The odd ones, and every eighth of the others."""
    folders = [CORPORA / "arc", CORPORA / "warc"]
    found = sorted(path for folder in folders for path in folder.rglob("*") if path.is_file())
    files = [path for path in found if claims_to_be_archive(path.name)]
    odd = [path for path in files if path.name in FOREIGN | REFUSED]
    return odd + [path for path in files if path not in odd][::EVERY]


@pytest.mark.skipif(not CORPORA.is_dir(), reason="The corpora are not beside this checkout.")
def test_files_of_the_corpora_are_taken_or_told(world: Outside) -> None:
    offered = sample()

    report = world.intake.take(SYSTEM, offered, cdx=CORPORA / "cdx" / "pywb", most_threads=4)

    assert report.files == len(offered)
    assert {Path(line.path).name for line in report.troubles if line.outcome is Outcome.FOREIGN} == FOREIGN
    refused = {Path(line.path).name for line in report.troubles if line.outcome is Outcome.REFUSED}
    assert refused == REFUSED
    files, amount = Catalogue(world.database).page(FileFilter(), limit=1000)
    assert amount.files == report.counts[Outcome.TAKEN]
    assert {file.state for file in files} == {FileState.STORED}
    sizes = {path.name: path.stat().st_size for path in offered}
    odd = [file for file in files if file.name not in sizes]
    assert [file.name.startswith("BL-20140325121225068") for file in odd] in ([], [True])
    assert report.counts[Outcome.UNREADABLE] == 0
