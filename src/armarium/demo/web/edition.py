"""Which edition is served stands in a small file, so that any process can turn the page."""

import os
from pathlib import Path

from armarium.demo.web.model import Edition

FILE = "edition"


def read_edition(folder: Path) -> Edition:
    """The first, where nobody chose or what stands there means nothing."""
    try:
        return Edition((folder / FILE).read_text("utf-8").strip())
    except (OSError, ValueError):
        return Edition.FIRST


def write_edition(folder: Path, edition: Edition) -> None:
    """Whole or not at all: a reader never finds half a word."""
    beside = folder / f"{FILE}.{os.getpid()}"
    beside.write_text(edition.value + "\n", "utf-8")
    beside.replace(folder / FILE)
