"""Start the embedded server, wait until it answers, stop it. Callers hold the lock that makes them alone."""

import contextlib
import os
import shlex
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psycopg
import structlog
from psycopg import pq, sql
from psycopg.conninfo import make_conninfo

from armarium.core.errors import Misconfigured, Unavailable
from armarium.core.message import Message, message
from armarium.db.embedded import account as accounts
from armarium.db.embedded import cluster, postmaster, sockets
from armarium.db.embedded.account import Account
from armarium.db.embedded.places import Places, cannot_use, program

START_SECONDS = 300  # a server that crashed replays its log first
STOP_SECONDS = 30
ORPHANS_SECONDS = 15  # how long the sessions of a killed server may need to notice
LOG_BYTES = 10_000_000

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Server:
    places: Places

    def ensure(self) -> str:
        """Make sure that a server runs on the data folder; returns the database's address."""
        try:
            owner = accounts.owner_of(self.places.data)
            # One that is found running may be about to stop, on its administrator's word.
            folder = self._join(owner) or self._start(accounts.choose(self.places.data))
            password = self._password()
        except OSError as error:
            raise Misconfigured(cannot_use(self.places.home, error)) from error
        host = quote(str(folder), safe="/")
        return f"postgresql://{cluster.ROLE}:{password}@/{cluster.ROLE}?host={host}"

    def stop(self) -> None:
        found = postmaster.running(self.places.data)
        if found is None:
            return
        # SIGINT: roll back what is open and write everything down. SIGQUIT: as after a crash, safe but
        # with a recovery at the next start; only if the first does not come to an end.
        for number in (signal.SIGINT, signal.SIGQUIT):
            with contextlib.suppress(ProcessLookupError):  # it was faster
                os.kill(found.pid, number)
            if self._is_gone_within(STOP_SECONDS):
                break
            log.warning("PostgreSQL did not stop", asked_by=number.name)
        if found.socket_folder is not None:
            self._clear_away(found.socket_folder)

    def has_crashed(self) -> bool:
        return postmaster.has_crashed(self.places.data)

    def _password(self) -> str:
        try:
            return self.places.password.read_text().strip()
        except FileNotFoundError:
            raise Misconfigured(_password_missing(self.places.password)) from None

    def _is_gone_within(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while postmaster.running(self.places.data):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True

    def _join(self, owner: int | None) -> Path | None:
        """The folder of the running server's socket, as soon as it lets people in; None if none runs."""
        deadline = time.monotonic() + START_SECONDS
        while owner is not None and (found := postmaster.running(self.places.data)):
            folder = found.socket_folder
            if folder is not None and sockets.is_private(folder, owner) and _answers(folder):
                return folder
            if time.monotonic() > deadline:
                raise Unavailable(_does_not_answer(self.places))
            time.sleep(0.1)
        return None

    def _start(self, account: Account) -> Path:
        postmaster.forget_crashed(self.places.data)
        cluster.prepare(self.places, account)
        folder = sockets.folder_for(self.places.socket_folder, account)
        try:
            if not self.places.password.exists():
                self._renew_password(account, folder)
                # Stopping it has cleared a temporary folder away.
                folder = sockets.folder_for(self.places.socket_folder, account)
            self._start_with(account, folder)
        except Misconfigured:
            self._clear_away(folder)
            raise
        log.info("PostgreSQL started", data=str(self.places.data), uid=account.uid, lent=account.capability)
        return folder

    def _renew_password(self, account: Account, folder: Path) -> None:
        """The secrets were not copied with the database: set a new password, kept after the database took it.

        For that moment whoever may enter the socket's folder is let in: we, root, and the server itself.
        """
        self.places.rules.write_text(f"local {cluster.ROLE} {cluster.ROLE} trust\n")
        self.places.rules.chmod(0o644)  # for an account that is not ours
        self._start_with(account, folder, hba_file=self.places.rules)
        password = cluster.new_password()
        with psycopg.connect(host=str(folder), user=cluster.ROLE, dbname=cluster.ROLE) as connection:
            connection.execute(
                sql.SQL("ALTER ROLE {} PASSWORD {}").format(sql.Identifier(cluster.ROLE), password)
            )
        cluster.keep(self.places.password, password)
        self.stop()
        self.places.rules.unlink()

    def _start_with(self, account: Account, folder: Path, **settings: Path) -> None:
        deadline = time.monotonic() + ORPHANS_SECONDS
        while not self._try_start(account, folder, settings):
            if time.monotonic() > deadline:
                raise Misconfigured(_did_not_start(self.places, "its memory is still in use"))
            time.sleep(0.2)

    def _try_start(self, account: Account, folder: Path, settings: Mapping[str, Path]) -> bool:
        """True if it started, False if it may start in a moment; anything else is for the operator."""
        quoted = str(folder).replace('"', '""')
        options = ["-D", str(self.places.data), "-c", f'unix_socket_directories="{quoted}"']
        options += [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        self._keep_log_short()
        with os.fdopen(_open_for_us(self.places.log), "ab") as output:
            before = output.tell()
            started = account.run(
                program("pg_ctl"),
                "start",
                "--wait",
                "--silent",
                f"--timeout={START_SECONDS}",
                f"--options={shlex.join(options)}",
                # Not --pgdata: pg_ctl would put the folder into a shell command without quoting it.
                environment={"PGDATA": str(self.places.data)},
                output=output,
            )
        if started.returncode == 0:
            return True
        said = _lines_since(self.places.log, before)
        if "is still in use" in said:
            return False
        raise Misconfigured(_did_not_start(self.places, said))

    def _clear_away(self, folder: Path) -> None:
        with contextlib.suppress(OSError):  # the temporary folder is cleaned sooner or later anyway
            sockets.remove_temporary(folder, self.places.socket_folder)

    def _keep_log_short(self) -> None:
        if self.places.log.exists() and self.places.log.stat().st_size > LOG_BYTES:
            self.places.log.replace(self.places.log.with_suffix(".log.1"))


def _answers(folder: Path) -> bool:
    # With the name of the one role that may sign in: the server writes every other into its log.
    asked = make_conninfo(host=str(folder), user=cluster.ROLE, dbname=cluster.ROLE)
    return pq.PGconn.ping(asked.encode()) == pq.Ping.OK


def _open_for_us(file: Path) -> int:
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    os.fchmod(descriptor, 0o600)
    return descriptor


def _lines_since(file: Path, offset: int) -> str:
    with file.open("rb") as lines:
        lines.seek(offset)
        return "\n".join(lines.read().decode(errors="replace").splitlines()[-12:])


def _did_not_start(places: Places, said: str) -> Message:
    return message(
        "The database in %(folder)s did not start. The last lines of %(log)s:\n%(said)s",
        folder=places.data,
        log=places.log,
        said=said,
    )


def _does_not_answer(places: Places) -> Message:
    return message(
        "The database in %(folder)s runs but does not answer; see %(log)s. "
        "It may still be recovering from a crash: try again later.",
        folder=places.data,
        log=places.log,
    )


def _password_missing(file: Path) -> Message:
    return message(
        "The database is running, but its password is missing: %(file)s. Stop every process of "
        "Armarium that uses it; the next start sets a new password.",
        file=file,
    )
