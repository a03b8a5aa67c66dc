"""Who PostgreSQL runs as.

PostgreSQL refuses to run as root. An ordinary user runs it as himself. Root runs it under a number that no
account of the machine has: whoever shares the account of a server can change its files, and with them what
it does. If that number cannot pass a folder on the way (a checkout below /root, a folder made by
`mktemp -d`), it is lent the one capability that lets it pass, and nothing else of root's rights.
"""

import grp
import os
import pwd
import secrets
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from armarium.core.errors import Misconfigured
from armarium.core.message import Message, message
from armarium.db.embedded import places

# Numbers that neither Debian, systemd, the tools for containers nor directory services give to anybody, and
# for a container that has only the first 65,536 those that Debian reserves and systemd leaves unused.
NUMBERS = range(2_050_000_000, 2_147_483_647)
LOW_NUMBERS = range(65_520, 65_534)

# Accounts that several services share, which earlier versions used. `initdb` insists on an account with a
# name: one of these makes the database, where nobody else can reach it.
SHARED = ("nobody", "postgres")

# Either lets a process pass closed folders, the first without writing there; containers often have only the
# second.
CAPABILITIES = ("dac_read_search", "dac_override")

# PostgreSQL gets an environment of its own: it needs nothing of ours, PG* variables of the user's shell
# would mislead it, and settings with secrets are none of its business.
ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}


@dataclass(frozen=True)
class Account:
    uid: int
    gid: int
    capability: str | None = None  # what it is lent

    def run(
        self,
        *command: str | Path,
        given: bytes = b"",
        output: IO[bytes] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command as this account, in a session of its own that Ctrl-C does not reach."""
        steps_down = os.geteuid() != self.uid and not self.capability
        return subprocess.run(  # noqa: S603  (the command is ours, without a shell)
            [*(self._setpriv(self.capability) if self.capability else []), *map(str, command)],
            input=given,
            stdout=output or subprocess.PIPE,
            stderr=output or subprocess.STDOUT,
            env={**ENVIRONMENT, **(environment or {})},
            cwd="/",  # ours may be a folder that the account cannot enter
            start_new_session=True,
            user=self.uid if steps_down else None,
            group=self.gid if steps_down else None,
            extra_groups=[] if steps_down else None,
            check=False,
        )

    def _setpriv(self, capability: str) -> list[str]:
        return [
            "setpriv",
            f"--reuid={self.uid}",
            f"--regid={self.gid}",
            "--clear-groups",
            "--no-new-privs",
            f"--inh-caps=-all,+{capability}",
            f"--ambient-caps=-all,+{capability}",
            # PostgreSQL asks access(2) whether it may run its own programs, and the kernel answers
            # that question without the capabilities of a process that is not root, unless told so.
            "--securebits=+no_setuid_fixup",
        ]


def owner_of(data: Path) -> int | None:
    """The number to whom the database belongs; None if there is none yet. Raises if it is not for us."""
    try:
        owner = (data / "PG_VERSION").stat().st_uid
    except PermissionError:
        owner = data.stat().st_uid
    except FileNotFoundError:
        return None  # an empty folder, perhaps where a disk is mounted, is ours to take
    if os.geteuid() not in (0, owner):
        raise Misconfigured(_belongs_to_another(data, owner))
    return owner


def choose(data: Path) -> Account:
    """The account for a server that is to be started on this data folder, which may not exist yet.

    It may be another than the one to whom the folder belongs: then the folder must be handed over.
    """
    owner = owner_of(data)
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid())
    if owner is None:
        uid = free_number()
    elif owner in _given_up(data.parent):
        # A handing over that was cut off has changed the folder first, and the file that we ask last.
        begun = data.stat().st_uid
        uid = free_number() if is_named(begun) else begun
    else:
        uid = owner
    ways = [places.program("postgres"), data.parent]
    if (run := data.parent / "run").exists():  # where its socket goes
        ways.append(run)
    # What is lent to an account is lent to everybody who shares it.
    return _able(uid, ways, lend=(None,) if is_named(uid) else (None, *CAPABILITIES))


def maker(folder: Path) -> Account:
    """An account with a name that may work in this closed folder of ours, for a moment."""
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid())
    named = [entry.pw_uid for entry in map(_entry, SHARED) if entry]
    if not named:
        raise Misconfigured(_nobody_there())
    # The kernel lets nobody without that capability look into a process that has it.
    return _able(named[0], [places.program("initdb"), folder], lend=CAPABILITIES)


def is_named(uid: int) -> bool:
    try:
        pwd.getpwuid(uid)
    except KeyError:
        return False
    return True


def _given_up(home: Path) -> set[int]:
    """Whose databases are handed over: of accounts that are shared, and of root (a copy made by root)."""
    shared = {entry.pw_uid for entry in map(_entry, SHARED) if entry}
    # Somebody who works under such an account, in a data folder of his own, keeps it.
    return ({0} | shared) - ({home.stat().st_uid} - {0})


def _entry(name: str) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        return None


def free_number() -> int:
    """A number that no account and no group of this machine has, under which root may run a program."""
    candidates: list[int] = [secrets.choice(NUMBERS), *LOW_NUMBERS]
    for number in candidates:
        if not is_named(number) and not _is_group(number) and _passes(Account(number, number), [Path("/")]):
            return number
    raise Misconfigured(_nobody_there())


def _is_group(gid: int) -> bool:
    try:
        grp.getgrgid(gid)
    except KeyError:
        return False
    return True


def _able(uid: int, ways: Iterable[Path], lend: Iterable[str | None]) -> Account:
    """This account with the least of what may be lent that lets it go these ways."""
    account = Account(uid, pwd.getpwuid(uid).pw_gid if is_named(uid) else uid)
    for capability in lend:
        candidate = replace(account, capability=capability)
        if _passes(candidate, ways):
            return candidate
    raise Misconfigured(_no_way(uid, ways))


def _passes(account: Account, paths: Iterable[Path]) -> bool:
    # The kernel is asked by trying: rights may come from access lists and mounts, not from modes alone.
    try:
        return all(account.run("test", "-x", path).returncode == 0 for path in paths)
    except OSError:  # no setpriv on this machine, or we are not allowed to step down
        return False


def _belongs_to_another(data: Path, owner: int) -> Message:
    return message(
        "The database in %(folder)s belongs to the user with number %(owner)s, not to the one who starts "
        "Armarium. Start Armarium as that user or as root, or choose another data folder (ARMARIUM_HOME).",
        folder=data,
        owner=owner,
    )


def _nobody_there() -> Message:
    return message(
        "PostgreSQL does not run as root, and on this machine Armarium finds no account to run it as. "
        "Start Armarium as an ordinary user, or set database.url."
    )


def _no_way(uid: int, ways: Iterable[Path]) -> Message:
    return message(
        "PostgreSQL does not run as root, and the user with number %(uid)s, as whom it would run, "
        "cannot reach all of these: %(ways)s. Start Armarium as an ordinary user, let others pass the "
        "folders above, install the package util-linux (setpriv), or set database.url.",
        uid=uid,
        ways=", ".join(map(str, ways)),
    )
