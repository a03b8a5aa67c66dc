"""Who this collector is: its name and its keys, in a file that only it reads."""

import json
import os
import shutil
import socket
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import armarium
from armarium.collector.job_folder import Work
from armarium.core.collecting import Machine
from armarium.core.errors import Misconfigured
from armarium.core.folders import make_private
from armarium.core.message import message
from armarium.formats.token import CollectorKeys, PublicKey


@dataclass(frozen=True)
class Identity:
    name: str
    keys: CollectorKeys
    server_key: PublicKey | None = None  # None: not yet enrolled

    def enrolled(self, name: str, server_key: PublicKey) -> "Identity":
        return replace(self, name=name, server_key=server_key)


def read_identity(file: Path) -> Identity | None:
    """The one in the file; None if there is no file."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        return Identity(found["name"], CollectorKeys.load(json.dumps(found["keys"])), found["server_key"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise Misconfigured(
            message(
                "The keys of this collector cannot be read from %(file)s: %(reason)s. Bring the file back, "
                "or remove it and enrol the collector again with a new code.",
                file=str(file),
                reason=str(problem),
            )
        ) from None


def write_identity(file: Path, identity: Identity) -> None:
    """Whole or not at all, and for nobody else to read."""
    make_private(file.parent)
    fresh = file.with_name(f"{file.name}.fresh")
    fresh.unlink(missing_ok=True)
    facts = {
        "name": identity.name,
        "keys": json.loads(identity.keys.save()),
        "server_key": identity.server_key,
    }
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as opened:
        json.dump(facts, opened, indent=1)
        opened.flush()
        os.fsync(opened.fileno())
    fresh.replace(file)


def new_identity(file: Path, name: str) -> Identity:
    """Kept before the server hears of it: if its answer is lost, the same keys enrol once more."""
    identity = Identity(name, CollectorKeys.generate())
    write_identity(file, identity)
    return identity


# --- What a collector tells about its machine.


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
