"""What a collector tells about its machine."""

import os
import shutil
import socket
from collections.abc import Iterable

import armarium
from armarium.collector.job_folder import Work
from armarium.core.collecting import Machine


def described(work: Work, *, slots: int, jobs: Iterable[int], min_free_bytes: int) -> Machine:
    disk = shutil.disk_usage(work.root)
    trouble = ""
    if disk.free < min_free_bytes:
        trouble = (
            f"No further job is taken: {disk.free:,} bytes are free in {work.root}, "
            f"{min_free_bytes:,} are wanted (collector.min_free_bytes)."
        )
    return Machine(
        version=armarium.__version__,
        machine=socket.gethostname(),
        slots=slots,
        free_bytes=disk.free,
        total_bytes=disk.total,
        load=round(os.getloadavg()[0], 2),
        jobs=tuple(jobs),
        put_aside=work.names_put_aside(),
        trouble=trouble,
    )
