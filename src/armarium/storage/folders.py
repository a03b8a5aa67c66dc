"""Folders below the data folder that are Armarium's own: no imports from them, and no replicas in them."""

from collections.abc import Iterable
from pathlib import Path

ARRIVALS = "arrivals"  # files from collectors; the only place where storage deletes a source
FETCHED = "fetched"  # files on their way from one replica to another
INTAKE = "intake"  # what a CDX for several files was divided into
OWN = (
    ARRIVALS,
    FETCHED,
    INTAKE,
    "repairs",
    "index",
    "index-work",
    "exports",
    "postgres",
    "secrets",
    "run",
    "logs",
)


def own_folders(home: Path) -> list[Path]:
    return [(home / name).resolve() for name in OWN]


def is_within(path: Path, folders: Iterable[Path]) -> bool:
    """Whether the path lies in one of the folders, whatever links lead there; they are resolved already."""
    resolved = path.resolve()
    return any(resolved.is_relative_to(folder) for folder in folders)


def overlaps(path: Path, folders: Iterable[Path]) -> bool:
    """Whether the path lies in one of the folders, or one of them in it."""
    resolved = path.resolve()
    return any(resolved.is_relative_to(one) or one.is_relative_to(resolved) for one in folders)
