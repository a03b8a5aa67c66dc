"""Settings of storage, and the folders that are its own."""

from collections.abc import Iterable
from pathlib import Path

from armarium.settings import Section, key


class StorageSettings(Section, name="storage"):
    """Replicas are entered on their page; here is how storage behaves."""

    audit_hours: int = key(24, "Hours between two looks at which audits are due.", ge=1, le=168)
    audit_algorithm: str = key(
        "sha256",
        "Checksum that audits compute: sha256 or blake3, which is faster.",
        pattern="^(sha256|blake3)$",
    )
    automatic_repairs: bool = key(True, "Repair without asking where the votes are clear.")
    repair_approvals: int = key(
        1, "People who must approve a repair that is not automatic; never the same one twice.", ge=1, le=2
    )
    watch: tuple[Path, ...] = key((), "Folders whose W/ARC files are taken into the archive by themselves.")
    watch_quiet_seconds: int = key(
        60, "A file in a watched folder is taken when it has not changed for so long.", ge=1
    )
    batch_seconds: int = key(
        3600,
        "Seconds that a function may take for one file. It is then left alone, and the batch goes on without "
        "it; one that never ends keeps a thread until the worker is started again.",
        ge=1,
    )
    batch_folder: Path | None = key(
        None, "Folder with Python files whose functions may be run over the archive; empty: only our own."
    )


# Folders below the data folder that are Armarium's own: no imports from them, and no replicas in them


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
