"""That nothing lies about, and nobody is left, when the house has come to rest."""

from pathlib import Path

import psutil

from tests.acceptance.whole.deeds_disks import MARKER
from tests.acceptance.whole.disks import CONTENT
from tests.acceptance.whole.world import REPLICAS, World


def litter(world: World) -> list[str]:
    """Files that belong to nobody any more."""
    home, found = world.home, []
    found += [f"among the arrivals lies {path.name}" for path in _files(home / "arrivals")]
    for folder in ("fetched", "repairs", "index-work", "intake"):
        found += [f"in {folder} lies {path}" for path in _files(home / folder)]
    for replica in REPLICAS:
        shelf = world.shelf(replica)
        strange = [
            path
            for path in _files(shelf)
            if path.relative_to(shelf).parts[0] not in ("files", "aside") and path.parent != shelf
        ]
        found += [f"in replica {replica} lies {path.relative_to(shelf)}" for path in strange]
    known = {row["name"] for row in world.archive.ask("SELECT name FROM index_run")}
    found += [
        f"among the runs lies {path.name}"
        for path in _files(world.runs_folder)
        if path.name not in known and path.name != MARKER
    ]
    for machine in world.machines:
        work = world.disks[machine.name].content
        left = [path.name for path in work.iterdir() if path.name not in ("lock", "put-aside")]
        found += [f"on {machine.name} lies {name}" for name in left]
    return found


def _files(folder: Path) -> list[Path]:
    """Folders of links too: some lie on disks of their own."""
    return sorted(path for path in folder.resolve().rglob("*") if path.is_file()) if folder.exists() else []


def survivors(world: World) -> list[str]:
    """Processes that outlive the house and its crawl machines."""
    found = [f"{name} still runs" for name in world.archive.house.processes()]
    for process in psutil.process_iter():
        try:
            mine = str(world.folder) in " ".join(process.cmdline())
            if mine and process.status() != psutil.STATUS_ZOMBIE and process.pid != psutil.Process().pid:
                command = process.cmdline()
                if CONTENT in " ".join(command) or "armarium" in command:
                    found.append(f"{command} still runs")
        except psutil.Error:
            continue
    return found
