"""Who PostgreSQL runs as.

PostgreSQL refuses to run as root. An ordinary user runs it as himself. Root runs it as an unprivileged
account; if that account cannot pass a folder on the way (a checkout below /root, a folder made by
`mktemp -d`), it is lent the one capability that lets it pass, and nothing else of root's rights.
"""

import os
import pwd
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from armarium.core.errors import Misconfigured
from armarium.core.message import Message, message
from armarium.db.embedded import binaries

ACCOUNTS = ("postgres", "nobody")  # in order of preference

# PostgreSQL gets an environment of its own: it needs nothing of ours, PG* variables of the user's shell
# would mislead it, and settings with secrets are none of its business.
ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}


@dataclass(frozen=True)
class Account:
    uid: int
    gid: int
    lent: bool = False  # runs with CAP_DAC_OVERRIDE

    def run(
        self,
        *command: str | Path,
        given: bytes = b"",
        output: IO[bytes] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command as this account, in a session of its own that Ctrl-C does not reach."""
        steps_down = os.geteuid() != self.uid and not self.lent
        return subprocess.run(  # noqa: S603  (the command is ours, without a shell)
            [*(self._setpriv() if self.lent else []), *map(str, command)],
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

    def _setpriv(self) -> list[str]:
        return [
            "setpriv",
            f"--reuid={self.uid}",
            f"--regid={self.gid}",
            "--clear-groups",
            "--no-new-privs",
            "--inh-caps=-all,+dac_override",
            "--ambient-caps=-all,+dac_override",
            # PostgreSQL asks access(2) whether it may run its own programs, and the kernel answers
            # that question without the capabilities of a process that is not root, unless told so.
            "--securebits=+no_setuid_fixup",
        ]


def choose(data: Path) -> Account:
    """The account for a server on this data folder, which may not exist yet."""
    owner = _owner(data)
    if os.geteuid() != 0:
        if owner not in (None, os.geteuid()):
            raise Misconfigured(_belongs_to_another(data, owner))
        return Account(os.geteuid(), os.getegid())
    if owner == 0:
        raise Misconfigured(_belongs_to_root(data))
    entry = _entry_of(owner) if owner is not None else _unprivileged()
    ways = [binaries.program("postgres"), data.parent]
    if (run := data.parent / "run").exists():  # where its socket goes
        ways.append(run)
    plain = Account(entry.pw_uid, entry.pw_gid)
    if _passes(plain, ways):
        return plain
    lent = Account(entry.pw_uid, entry.pw_gid, lent=True)
    if _passes(lent, ways):
        return lent
    raise Misconfigured(_no_way(entry.pw_name, data.parent))


def _owner(data: Path) -> int | None:
    try:
        return (data / "PG_VERSION").stat().st_uid
    except PermissionError:
        return data.stat().st_uid
    except FileNotFoundError:
        return None  # an empty folder, perhaps where a disk is mounted, is ours to take


def _entry_of(uid: int) -> pwd.struct_passwd:
    try:
        return pwd.getpwuid(uid)
    except KeyError:
        return pwd.struct_passwd((str(uid), "", uid, uid, "", "/", ""))  # a number without a name will do


def _unprivileged() -> pwd.struct_passwd:
    for name in ACCOUNTS:
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise Misconfigured(
        message(
            "PostgreSQL does not run as root, and this machine has neither an account “postgres” nor "
            "“nobody” to run it as. Start Armarium as an ordinary user, or set database.url."
        )
    )


def _passes(account: Account, paths: Iterable[Path]) -> bool:
    # The kernel is asked by trying: rights may come from access lists and mounts, not from modes alone.
    try:
        return all(account.run("test", "-x", path).returncode == 0 for path in paths)
    except OSError:  # no setpriv on this machine, or we are not allowed to step down
        return False


def _belongs_to_another(data: Path, owner: int | None) -> Message:
    return message(
        "The database in %(folder)s belongs to the user with number %(owner)s, not to the one who starts "
        "Armarium. Start Armarium as that user or as root, or choose another data folder (ARMARIUM_HOME).",
        folder=data,
        owner=owner,
    )


def _belongs_to_root(data: Path) -> Message:
    return message(
        "The database in %(folder)s belongs to root, and PostgreSQL does not run as root. Give it to an "
        "unprivileged account with all that is in it: chown -R nobody %(folder)s",
        folder=data,
    )


def _no_way(name: str, home: Path) -> Message:
    return message(
        "PostgreSQL does not run as root, and the account “%(name)s” can reach neither way "
        "both Armarium's programs (%(programs)s) and the data folder (%(home)s). Start Armarium as an "
        "ordinary user, install the package util-linux (setpriv), or set database.url.",
        name=name,
        programs=binaries.folder(),
        home=home,
    )
