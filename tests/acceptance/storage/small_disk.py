"""A disk that is really full: a tmpfs in a mount namespace of its own, so that no root is needed.

Others reach it through /proc: nobody but the shell that holds the namespace lives in it, and with that
shell the disk is gone.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HOLD = """
mount -t tmpfs -o "size=$2" none "$1" && echo ready || exit 1
while read size; do mount -o "remount,size=$size" none "$1" && echo "$size"; done
"""


@dataclass
class SmallDisk:
    folder: Path  # as all processes see it
    shell: "subprocess.Popen[str]"

    @property
    def inside(self) -> list[str]:
        """What a command is run by that has to see the disk where it is mounted: SQLite resolves links."""
        return ["nsenter", "--preserve-credentials", "--user", "--mount", "--target", str(self.shell.pid)]

    def resize(self, size: int) -> None:
        assert self.shell.stdin is not None
        assert self.shell.stdout is not None
        self.shell.stdin.write(f"{size}\n")
        self.shell.stdin.flush()
        assert self.shell.stdout.readline() == f"{size}\n", "the disk did not change its size"


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[SmallDisk | None]:
    """None where the kernel lets nobody mount, as in many containers."""
    folder.mkdir()
    program = shutil.which("unshare")
    if program is None:
        yield None
        return
    with subprocess.Popen(
        [program, "--map-root-user", "--mount", "sh", "-c", HOLD, "sh", str(folder), str(size)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as shell:
        assert shell.stdout is not None
        try:
            if shell.stdout.readline() == "ready\n":
                seen = Path(f"/proc/{shell.pid}/root{folder}")
                yield SmallDisk(seen, shell) if os.path.ismount(seen) else None
            else:
                yield None
        finally:
            assert shell.stdin is not None
            shell.stdin.close()
