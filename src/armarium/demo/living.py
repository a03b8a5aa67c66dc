"""The server of the demonstration while it lives: its process, whether it answers, how it ends."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import takewhile
from pathlib import Path

import httpx

from armarium.core.errors import Misconfigured, Refused, Unavailable
from armarium.core.message import Message, message
from armarium.db.embedded.places import Places
from armarium.db.embedded.server import Server
from armarium.demo.folder import DemoFolder, Ports
from armarium.settings.section import FOR_TESTS, HOME, PREFIX

LEFTOVER_SECONDS = 30.0  # what a killed demonstration started has ended by then
START_SECONDS = 300.0
END_SECONDS = 30.0
LOOK = 0.1
CHILDREN = "children.json"  # in run/: the supervisor's list
COMPLAINT = "armarium: "


def environment(folder: DemoFolder) -> dict[str, str]:
    """Ours, without a word about the real archive: a variable that names its database must lead nowhere."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(PREFIX) or name.startswith(FOR_TESTS)
    }
    return {**kept, HOME: str(folder.path)}


@contextmanager
def held(folder: DemoFolder) -> Iterator[None]:
    """One demonstration at a time in one folder; the kernel lets go when its process is killed."""
    beside = folder.path.with_name(f".{folder.path.name}.lock")
    lock = _locked(folder, beside)
    try:
        yield
    finally:
        beside.unlink(missing_ok=True)
        os.close(lock)


def _locked(folder: DemoFolder, beside: Path) -> int:
    """The file that has the name now: whoever held it before took theirs away, perhaps under our hands."""
    while True:
        try:
            lock = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise Misconfigured(
                message(
                    "The demonstration cannot be made in %(path)s: %(reason)s. Choose another place with "
                    "ARMARIUM_HOME.",
                    path=str(folder.path.parent),
                    reason=error.strerror or str(error),
                )
            ) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            raise Refused(_runs_already(folder)) from None
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(lock), beside.stat()):
                return lock
        os.close(lock)


def wait_for_leftovers(folder: DemoFolder) -> None:
    """What a demonstration that was killed started ends by itself within seconds; its database is stopped."""
    supervisor = folder.path / "run" / "supervisor.lock"
    until = time.monotonic() + LEFTOVER_SECONDS
    while _is_locked(supervisor):
        if time.monotonic() > until:
            raise Refused(
                message(
                    "Processes of an earlier demonstration in %(path)s do not end. Look for them with "
                    "`ps aux | grep armarium`, end them, then try again.",
                    path=str(folder.path),
                )
            )
        time.sleep(LOOK)


def stop_database(folder: DemoFolder) -> None:
    """A server that outlived all who used it."""
    if (folder.path / "postgres").is_dir():
        Server(Places(folder.path.resolve())).stop()


class LivingHouse:
    """`armarium.demo.house` as a process of ours. However we end, it ends."""

    def __init__(self, folder: DemoFolder, ports: Ports) -> None:
        self._folder = folder
        self._ports = ports
        self._process: subprocess.Popen[bytes] | None = None
        self._held = -1
        self._said = 0  # bytes that earlier houses wrote into the log

    def start(self) -> None:
        self._folder.serving.unlink(missing_ok=True)
        line, self._held = os.pipe()
        with self._folder.log.open("ab") as log:
            self._said = log.tell()
            self._process = subprocess.Popen(  # noqa: S603  (our own module)
                [sys.executable, "-m", "armarium.demo.house", str(self._folder.path), str(line)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environment(self._folder),
                cwd=self._folder.path,
                pass_fds=(line,),
                start_new_session=True,  # Ctrl-C is for us: the house ends in order, when we say so
            )
        os.close(line)

    def wait_for_children(self) -> None:
        """Until the database is as this version wants it: the house starts nobody before."""
        late = message("The server of the demonstration does not start. %(log)s says more.", log=self._log)
        self._wait((self._folder.path / "run" / CHILDREN).exists, late)

    def wait_for_web(self) -> None:
        """Until it answers; another program on its port would too."""
        late = message(
            "The small web of the demonstration does not answer. %(log)s says more.", log=self._log
        )
        self._wait(lambda: self._folder.serving.exists() and _answers(self._ports.web, "/"), late)

    def wait_for_staff(self) -> None:
        late = message(
            "The staff site of the demonstration does not answer. %(log)s says more.", log=self._log
        )
        self._wait(lambda: _answers(self._ports.staff, "/sign-in"), late)

    def wait_for_readers(self) -> None:
        late = message(
            "The readers' site of the demonstration does not answer. %(log)s says more.", log=self._log
        )
        self._wait(lambda: _answers(self._ports.readers, "/"), late)

    @property
    def _log(self) -> str:
        return str(self._folder.log)

    def _wait(self, condition: Callable[[], bool], late: Message) -> None:
        until = time.monotonic() + START_SECONDS
        while not condition():
            self.check()
            if time.monotonic() > until:
                raise Unavailable(late)
            time.sleep(LOOK)

    def check(self) -> None:
        """Raises if the house has ended by itself."""
        assert self._process is not None
        if self._process.poll() is None:
            return
        if reason := last_complaint(self._folder.log, self._said):
            raise Misconfigured(
                message(
                    "The server of the demonstration has ended: %(reason)s %(log)s says more.",
                    reason=reason,
                    log=self._log,
                )
            )
        raise Misconfigured(
            message(
                "The server of the demonstration has ended and did not say why. %(log)s says more.",
                log=self._log,
            )
        )

    def end(self) -> None:
        """In order, and for good."""
        if self._process is None:
            return
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        finally:
            os.close(self._held)
            self._process = None


@contextmanager
def living(folder: DemoFolder, ports: Ports) -> Iterator[LivingHouse]:
    house = LivingHouse(folder, ports)
    house.start()
    try:
        yield house
    finally:
        house.end()


def _answers(port: int, path: str) -> bool:
    try:
        return httpx.get(f"http://localhost:{port}{path}", timeout=5, trust_env=False).status_code < 500
    except httpx.HTTPError:
        return False


def _is_locked(file: Path) -> bool:
    try:
        lock = os.open(file, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


def last_complaint(log: Path, since: int = 0) -> str:
    """What the house said to people before it ended, behind so many bytes of earlier ones; or nothing."""
    with suppress(OSError):
        written = "\n" + log.read_bytes()[since:].decode(errors="replace")
        _, found, told = written.rpartition(f"\n{COMPLAINT}")
        first, *more = told.splitlines() if found and told else [""]
        # What is said in several lines has the others indented.
        said = [first, *takewhile(lambda line: line.startswith(" "), more)]
        return " ".join(line.strip() for line in said)
    return ""


def _runs_already(folder: DemoFolder) -> Message:
    facts = folder.facts()
    where = f"http://localhost:{facts.ports.staff}" if facts and facts.ports.staff else str(folder.path)
    return message(
        "The demonstration runs already, in another window: %(where)s. End it there with Ctrl-C first.",
        where=where,
    )
