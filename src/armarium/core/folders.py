"""Folders that are nobody else's, whatever the umask of whoever started us."""

import os
from pathlib import Path


def make_private(folder: Path, *, way: bool = False) -> None:
    """Make a folder, and what is missing above it, into which only this user can look.

    If root makes it, what is above it, and itself if it is a `way`, can be passed by others, though not
    listed: below lie folders for PostgreSQL, which does not run as root. Folders that exist are left as their
    owner wants them.
    """
    for missing in reversed([place for place in (folder, *folder.parents) if not place.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)
        if os.geteuid() == 0 and (way or missing != folder):
            missing.chmod(0o711)
