"""What is done to disks as a whole: they are full, or away."""

from tests.acceptance.whole.diary import INDEX_SUFFERS
from tests.acceptance.whole.mischief import INDEX_AWAY, NOT_HERE, NOT_NOW, Mischief, deed
from tests.acceptance.whole.world import ARRIVALS, INDEX, REPLICA, REPLICAS

SECONDS = (4.0, 9.0, 15.0)
MARKER = ".armarium-index"


def _fill(at: Mischief, name: str) -> str | None:
    disk = at.world.disks[name]
    if disk.small is None:
        return NOT_HERE
    busy = f"disk {name}"
    if at.is_busy(busy):
        return NOT_NOW
    seconds = at.chance.choice(SECONDS)
    at.note(f"full for {seconds:.0f} s: the disk of {name}")
    disk.fill()

    def relieve() -> None:
        disk.relieve()
        at.note(f"has room again: the disk of {name}")

    at.later(seconds, busy, relieve)
    return None


@deed("fill the disk of arrivals")
def fill_arrivals(at: Mischief) -> str | None:
    return _fill(at, ARRIVALS)


@deed("fill the disk of a replica")
def fill_replica(at: Mischief) -> str | None:
    return _fill(at, REPLICA)


@deed("fill the disk of the index")
def fill_index(at: Mischief) -> str | None:
    return _fill(at, INDEX)


@deed("fill the disk of a collector")
def fill_collector(at: Mischief) -> str | None:
    return _fill(at, at.chance.choice(at.world.machines).name)


@deed("take a replica away and give it back")
def take_away(at: Mischief) -> str | None:
    """As a disk that is not mounted: its folder is empty."""
    if at.is_busy("replicas") or at.world.harm.open_copies():
        return NOT_NOW
    replica = at.chance.choice(REPLICAS)
    shelf = at.world.shelf(replica)
    hidden = shelf.with_name(f"{replica}.away")
    seconds = at.chance.choice((3.0, 8.0, 15.0))
    at.note(f"away for {seconds:.0f} s: replica {replica}")
    shelf.rename(hidden)

    def give_back() -> None:
        if shelf.exists():  # somebody has made a folder in its place
            at.world.diary.fault(
                f"in the place of replica {replica}, which was away, lies {_names(at, replica)}"
            )
            shelf.rename(shelf.with_name(f"{replica}.made-meanwhile"))
        hidden.rename(shelf)
        at.note(f"back: replica {replica}")

    at.later(seconds, "replicas", give_back)
    return None


def _names(at: Mischief, replica: str) -> list[str]:
    return sorted(path.name for path in at.world.shelf(replica).iterdir())


@deed(INDEX_AWAY)
def take_index_away(at: Mischief) -> str | None:
    if at.is_busy("index") or at.world.harm.open_runs() or not at.world.harm.answering():
        return NOT_NOW
    folder = at.world.runs_folder
    hidden = folder.with_name("away")
    seconds = at.chance.choice((3.0, 8.0))
    at.note(f"away for {seconds:.0f} s: the folder of the index")
    end = at.world.disturbances.begin("index away", *INDEX_SUFFERS)
    folder.rename(hidden)
    folder.mkdir()

    def give_back() -> None:
        made = sorted(path.name for path in folder.iterdir())
        if made:  # by whoever had just looked whether it is there
            at.note(f"made meanwhile in the place of the index: {made}")
            if MARKER in made:
                at.world.diary.fault("an empty folder was taken for the place of the index")
            folder.rename(folder.with_name(f"made-{at.chance.randrange(10**6)}"))
        else:
            folder.rmdir()
        hidden.rename(folder)
        at.note("back: the folder of the index")
        end()

    at.later(seconds, "index", give_back)
    return None
