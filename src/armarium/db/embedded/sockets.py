"""The folder of the server's socket: short enough for the kernel, and nobody else's."""

import os
import stat
import tempfile
from hashlib import sha256
from pathlib import Path

from armarium.core.errors import Misconfigured
from armarium.core.message import message
from armarium.db.embedded.account import Account

SOCKET = ".s.PGSQL.5432"
LONGEST = 103  # bytes in the path of a socket: 107 on Linux, 103 on macOS and the BSDs


def folder_for(preferred: Path, account: Account) -> Path:
    """Make a folder, open to this account alone, in which a socket fits. No server may be running.

    A data folder may lie deep. Then the socket goes to the temporary folder, where anybody may have put
    anything under the name we want: a folder that is not provably ours is left alone.
    """
    if _fits(preferred):
        preferred.mkdir(mode=0o700, exist_ok=True)
        return _made_ready(preferred, account)
    temporary = Path(tempfile.gettempdir())
    name = f"armarium-{sha256(os.fsencode(preferred)).hexdigest()[:12]}"
    for candidate in (temporary / f"{name}-{account.uid}", None):
        folder = _make_private(candidate, account) if candidate else Path(tempfile.mkdtemp(prefix=f"{name}-"))
        if folder is not None and _fits(folder):
            return _made_ready(folder, account)
    raise Misconfigured(
        message(
            "No place is short enough for the socket of the database: neither %(preferred)s nor the "
            "temporary folder %(temporary)s. Set TMPDIR to a folder with a short name.",
            preferred=preferred,
            temporary=temporary,
        )
    )


def is_private(folder: Path, owner: int) -> bool:
    """Is this a real folder that only the server's account (and root) can enter?"""
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == owner and not found.st_mode & 0o077


def remove_temporary(folder: Path, preferred: Path) -> None:
    if folder != preferred:
        folder.rmdir()


def _fits(folder: Path) -> bool:
    # A comma would part two hosts in a database address.
    path = str(folder / SOCKET)
    try:
        return len(path.encode()) <= LONGEST and "," not in path
    except UnicodeEncodeError:  # a name that is not UTF-8 cannot stand in a database address
        return False


def _make_private(folder: Path, account: Account) -> Path | None:
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        return folder if is_private(folder, account.uid) else None
    return folder


def _made_ready(folder: Path, account: Account) -> Path:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        os.fchown(descriptor, account.uid, account.gid)
        os.fchmod(descriptor, 0o700)
    finally:
        os.close(descriptor)
    # What a killed server left. PostgreSQL clears it away itself, unless some process has its number now.
    for leftover in (SOCKET, f"{SOCKET}.lock"):
        (folder / leftover).unlink(missing_ok=True)
    return folder
