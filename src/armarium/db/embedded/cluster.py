"""The data folder of the embedded server: made once, whole or not at all."""

import contextlib
import os
import secrets
import shutil
import tempfile
import time
from pathlib import Path

import structlog

from armarium.core.errors import Misconfigured
from armarium.core.message import message
from armarium.db.embedded import account as accounts
from armarium.db.embedded.account import Account
from armarium.db.embedded.places import MAJOR, Places, program

log = structlog.get_logger(__name__)

ORPHAN_SECONDS = (
    5.0  # that the initdb of a killed start gets to notice; what is left then, the next start removes
)

ROLE = "armarium"  # of the application; owns the database of the same name and is no superuser
BOOTSTRAP = "bootstrap"  # the superuser that initdb insists on; pg_hba.conf lets nobody sign in as it

HOST_RULES = f"""\
# The server listens on one socket in a private folder, and only Armarium's own role may sign in.
local all {ROLE} scram-sha-256
"""

SETTINGS = {
    "listen_addresses": "",  # no port on any network
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] %q%a ",
    "password_encryption": "scram-sha-256",
}


def prepare(places: Places, account: Account) -> None:
    """Make the data folder, and the password of the application's role with it, if it is not there."""
    if _exists(places.data):
        _require_our_version(places.data)
        if (owner := accounts.owner_of(places.data)) != account.uid:
            log.info("handing the database over", data=str(places.data), owner=owner, to=account.uid)
            _hand_over(places.data, account)
        return
    if not places.password.exists():
        keep(places.password, new_password())
    _remove_unfinished(places.data)
    _make(places.data, account, places.password.read_text().strip())


def new_password() -> str:
    return secrets.token_urlsafe(32)


def _exists(data: Path) -> bool:
    if (data / "PG_VERSION").exists():
        return True
    if data.exists() and any(data.iterdir()):
        raise Misconfigured(
            message(
                "The folder %(folder)s is in the way: Armarium keeps its database there, but it holds "
                "something else. Move it away, or choose another data folder (ARMARIUM_HOME).",
                folder=data,
            )
        )
    return False


def _require_our_version(data: Path) -> None:
    found = (data / "PG_VERSION").read_text().strip()
    if found != str(MAJOR):
        raise Misconfigured(
            message(
                "The database in %(folder)s was made by PostgreSQL %(found)s; this version of Armarium runs "
                "PostgreSQL %(ours)s. Start the version of Armarium that made it, or convert the folder "
                "with pg_upgrade.",
                folder=data,
                found=found,
                ours=MAJOR,
            )
        )


def keep(file: Path, password: str) -> None:
    descriptor, name = tempfile.mkstemp(dir=file.parent)  # mode 0600
    with os.fdopen(descriptor, "w") as unfinished:
        unfinished.write(password + "\n")
        unfinished.flush()
        os.fsync(unfinished.fileno())
    Path(name).replace(file)
    _flush_folder(file.parent)


def _make(data: Path, account: Account, password: str) -> None:
    """Build the folder in a closed one and rename it when it is complete.

    Whoever is killed on the way leaves nothing that looks like a database.
    """
    closed = Path(tempfile.mkdtemp(prefix=f"{data.name}.unfinished-", dir=data.parent))  # mode 0700
    maker = accounts.maker(closed)
    unfinished = closed / data.name
    unfinished.mkdir(mode=0o700)
    os.chown(unfinished, maker.uid, maker.gid)
    _initdb(maker, unfinished)
    (unfinished / "pg_hba.conf").write_text(HOST_RULES)
    _alter(
        maker,
        unfinished,
        [
            # CREATEDB, so that a backup can be restored next to the database in use.
            f"CREATE ROLE {ROLE} LOGIN CREATEDB PASSWORD '{password}'",
            f"CREATE DATABASE {ROLE} OWNER {ROLE}",
        ],
    )
    _hand_over(unfinished, account)
    unfinished.rename(data)
    closed.rmdir()
    _flush_folder(data.parent)


def _hand_over(data: Path, account: Account) -> None:
    """Give the folder to this account, with everything in it that belongs to its present owner.

    The folder comes first: from then on the present owner cannot enter it and put links in our way. The file
    that says to whom the database belongs comes last: whoever is killed on the way is followed by one who
    goes on.
    """
    mark = data / "PG_VERSION"
    owner = mark.stat().st_uid
    os.chown(data, account.uid, account.gid)
    for _, folders, files, descriptor in os.fwalk(data.resolve(), follow_symlinks=False):
        for name in (*folders, *files):
            found = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            if found.st_uid == owner and not os.path.samestat(found, mark.stat()):
                os.chown(name, account.uid, account.gid, dir_fd=descriptor, follow_symlinks=False)
    os.chown(mark, account.uid, account.gid, follow_symlinks=False)


def _initdb(account: Account, data: Path) -> None:
    settings = [f"--set={name}={value}" for name, value in SETTINGS.items()]
    done = account.run(
        program("initdb"),
        f"--pgdata={data}",
        f"--username={BOOTSTRAP}",
        "--encoding=UTF8",
        # The provider inside PostgreSQL: the same order on every machine, whatever its C library does.
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        "--locale=C",
        "--data-checksums",
        "--auth=reject",
        *settings,
    )
    if done.returncode != 0:
        raise _failed(data, done.stdout)


def _alter(account: Account, data: Path, statements: list[str]) -> None:
    """Run statements as the superuser without a server: `postgres --single` takes one per line."""
    done = account.run(
        program("postgres"),
        "--single",
        "-D",
        data,
        "-c",
        "exit_on_error=on",
        "-c",
        "log_min_error_statement=panic",  # a statement with a password is not for the log
        "postgres",
        given="".join(f"{statement}\n" for statement in statements).encode(),
    )
    if done.returncode != 0:
        raise _failed(data, done.stdout)


def _failed(data: Path, output: bytes) -> Misconfigured:
    return Misconfigured(
        message(
            "The database could not be made in %(folder)s. PostgreSQL says:\n%(output)s",
            folder=data,
            output="\n".join(output.decode(errors="replace").strip().splitlines()[-12:]),
        )
    )


def _remove_unfinished(data: Path) -> None:
    """Take away what a killed start left behind: such a folder was never a database in use."""
    for leftover in data.parent.glob(f"{data.name}.unfinished-*"):
        until = time.monotonic() + ORPHAN_SECONDS
        shutil.rmtree(leftover, ignore_errors=True)
        while leftover.exists() and time.monotonic() < until:  # an orphaned initdb is still writing
            time.sleep(0.05)
            shutil.rmtree(leftover, ignore_errors=True)
    with contextlib.suppress(FileNotFoundError):
        data.rmdir()  # empty, or we would not be here: a mount point fails with its own clear error


def _flush_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
