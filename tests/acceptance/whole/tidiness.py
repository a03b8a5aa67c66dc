"""That nothing lies about, and nobody is left, when the house has come to rest."""

import time
from pathlib import Path

import psutil

from tests.acceptance.whole.deeds_disks import MARKER
from tests.acceptance.whole.world import REPLICAS, World

CLOSING = 120.0  # seconds


def litter(world: World) -> list[str]:
    """Files that belong to nobody any more."""
    home, found = world.home, []
    lost = {row["name"] for row in world.archive.ask("SELECT name FROM stored_file WHERE state = 'lost'")}
    found += [
        f"among the arrivals lies {path.name}"
        for path in _files(home / "arrivals")
        if path.name.removesuffix(".cdxj") not in lost  # what came of it is kept for a person
    ]
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


def put_aside_wrongly(world: World) -> list[str]:
    """Sealed files that lie aside unsent, though their attempt has ended its job or is not known. Those of
    attempts that lost their job to another stay there for a person: another has harvested the same."""
    known = {row["name"] for row in world.archive.ask("SELECT name FROM stored_file")}
    attempts = world.archive.ask(
        'SELECT job, attempt FROM job_attempt WHERE "end" NOT IN (%s, %s)', "done", ""
    )
    lost = {f"{row['job']}-{row['attempt']}" for row in attempts}
    found = []
    for machine in world.machines:
        aside = world.disks[machine.name].content / "put-aside"
        for path in aside.rglob("*.warc.gz"):
            folder = path.relative_to(aside).parts[0]
            attempt = "-".join(folder.split("-")[:2])  # a second folder of it has a further number
            if path.name not in known:
                world.diary.count("sealed files put aside")
                if attempt not in lost:
                    found.append(f"{path.name} was put aside on {machine.name} in {folder}, and never sent")
    return found


def closed(world: World) -> list[str]:
    """Tell everybody to end, and nothing more; who has not."""
    processes = [machine.process for machine in world.machines] + [world.archive.house.started[-1]]
    for process in processes:
        if process is not None:
            process.terminate()
    until = time.monotonic() + CLOSING
    while (left := _survivors(world)) and time.monotonic() < until:
        time.sleep(0.2)
        for process in processes:
            if process is not None:
                process.poll()
    return left


def _survivors(world: World) -> list[str]:
    """Processes of the house and its crawl machines, by the data folder that they were given."""
    found = []
    for process in psutil.process_iter():
        try:
            # What was forked by `armarium up` shows no environment, but stands in the folder of its start.
            places = process.environ().get("ARMARIUM_HOME", ""), process.cwd()
            ours = any(Path(place).is_relative_to(world.folder) for place in places)
            if ours and process.status() != psutil.STATUS_ZOMBIE:
                found.append(f"{process.cmdline()} still runs")
        except psutil.Error:
            continue
    return found
