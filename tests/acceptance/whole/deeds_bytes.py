"""What is done to bytes: bits flip, files are cut off or vanish."""

import time
from contextlib import suppress
from pathlib import Path

import psutil

from tests.acceptance.whole.diary import INDEX_SUFFERS
from tests.acceptance.whole.harm import REPLICAS
from tests.acceptance.whole.mischief import INDEX_AWAY, NOT_NOW, Mischief, deed

LANDED = """
    SELECT a.name, a.job, a.kind FROM arrival a JOIN job j ON j.id = a.job
    LEFT JOIN stored_file f ON f.name = a.name
    WHERE a.state = 'landed' AND j.attempt = a.attempt AND j.state IN ('started', 'uploading')
    AND (a.kind = 'index' OR f.state = 'storing') ORDER BY a.id
"""


def flip(at: Mischief, path: Path) -> None:
    """One bit, in its place, as a failing disk does."""
    path.chmod(0o644)
    place = at.chance.randrange(path.stat().st_size)
    with path.open("r+b") as file:
        file.seek(place)
        [byte] = file.read(1)
        file.seek(place)
        file.write(bytes([byte ^ 1 << at.chance.randrange(8)]))


def cut(at: Mischief, path: Path) -> None:
    path.chmod(0o644)
    with path.open("r+b") as file:
        file.truncate(at.chance.randrange(path.stat().st_size))


def remove(_: Mischief, path: Path) -> None:
    path.unlink()


HOW = {"flipped": flip, "cut": cut, "removed": remove}


def _hurt_copy(at: Mischief, how: str) -> str | None:
    """Of a file whose other copy is well, and stays so: damage of all would be a loss."""
    harm = at.world.harm
    if at.is_busy("replicas"):
        return NOT_NOW
    files = harm.harmless()
    at.chance.shuffle(files)
    file = next((one for one in files if harm.is_whole(one)), None)
    if file is None:
        return NOT_NOW
    replica = at.chance.choice(REPLICAS)
    harm.remember_copy(file, replica, how)
    HOW[how](at, harm.copy(file, replica))
    at.note(f"{how}: the copy of {file['name']} in replica {replica}")
    return None


@deed("flip a bit in a copy")
def flip_copy(at: Mischief) -> str | None:
    return _hurt_copy(at, "flipped")


@deed("cut a copy off")
def cut_copy(at: Mischief) -> str | None:
    return _hurt_copy(at, "cut")


@deed("remove a copy")
def remove_copy(at: Mischief) -> str | None:
    return _hurt_copy(at, "removed")


def _hurt_run(at: Mischief, how: str) -> str | None:
    harm, folder = at.world.harm, at.world.runs_folder
    # That one waits until no run is damaged, and would wait for ever.
    if at.is_busy("index") or INDEX_AWAY in at.postponed:
        return NOT_NOW
    runs = [run for run in harm.answering() if (folder / run["name"]).is_file()]
    if not runs:
        return NOT_NOW
    run = at.chance.choice(runs)
    healed = at.world.disturbances.begin(f"run {run['name']} {how}", *INDEX_SUFFERS)
    try:
        HOW[how](at, folder / run["name"])
    except FileNotFoundError:  # merged in this moment
        healed()
        return NOT_NOW
    harm.remember_run(run, how, healed)
    at.note(f"{how}: the run {run['name']} of the index")
    return None


@deed("flip a bit in a run of the index")
def flip_run(at: Mischief) -> str | None:
    return _hurt_run(at, "flipped")


@deed("cut a run of the index off")
def cut_run(at: Mischief) -> str | None:
    return _hurt_run(at, "cut")


@deed("remove a run of the index")
def remove_run(at: Mischief) -> str | None:
    return _hurt_run(at, "removed")


@deed("flip a bit in a file that has arrived")
def flip_arrival(at: Mischief) -> str | None:
    """Before it is stored: the workers are held for so long. Its collector still has it."""
    if at.is_busy("up") or at.is_busy("worker"):
        return NOT_NOW
    workers = at.world.archive.living("worker")
    for worker in workers:
        with suppress(psutil.Error):
            worker.suspend()
    try:
        return _flip_what_waits(at)
    finally:
        for worker in workers:
            with suppress(psutil.Error):
                worker.resume()


def _flip_what_waits(at: Mischief) -> str | None:
    until = time.monotonic() + 4.0
    while time.monotonic() < until:
        before = at.world.harm.arrivals  # once is enough for a file: its collector has to bring it again
        waiting = [row for row in at.world.archive.ask(LANDED) if row["name"] not in before]
        at.chance.shuffle(waiting)
        for row in sorted(waiting, key=lambda row: row["kind"] == "index"):  # indexes can be made again
            path = at.world.archive.arrivals / str(row["job"]) / row["name"]
            if path.is_file() and path.stat().st_size:
                at.world.harm.arrivals.append(row["name"])
                flip(at, path)
                at.note(f"flipped: {row['name']}, which has arrived")
                return None
        time.sleep(0.1)
    return NOT_NOW
