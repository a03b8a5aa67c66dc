"""Format identifiers of the PRONOM registry, through siegfried (the package ``pygfried``).

This is the one module of ``formats`` that touches the system, and here is why: siegfried reads files by their
path only. The bytes are put into a file that exists in memory (``memfd_create``) and whose path is that of
the open descriptor. Nothing is written to a disk, and nothing is left behind. Where this is not possible
(another system than Linux, or ``pygfried`` is not installed) there is simply no answer.
"""

import os
import sys
from importlib.util import find_spec
from typing import NamedTuple

from armarium.core.late import LateModule

# An optional dependency. It brings threads of its own, which do not survive a fork: imported when first used.
AVAILABLE = sys.platform == "linux" and find_spec("pygfried") is not None
pygfried = LateModule("pygfried")

_UNKNOWN = ("UNKNOWN", "")


class Match(NamedTuple):
    """What siegfried says about a file."""

    puid: str  # "fmt/471"
    mime: str  # of the registry; may be empty
    by_bytes: bool  # a signature or a container was recognised, not only that it is text
    basis: str  # in siegfried's words


def pronom_match(data: bytes) -> Match | None:
    """The best match for a file's bytes; None when there is none or siegfried is not there."""
    if not AVAILABLE or not data:
        return None
    descriptor = os.memfd_create("payload")
    try:
        with os.fdopen(descriptor, "wb", closefd=False) as file:
            file.write(data)
        found = pygfried.identify(f"/proc/self/fd/{descriptor}", True)
    except (OSError, RuntimeError, ValueError, pygfried.GoError, pygfried.EmptySourceError):
        return None  # siegfried's own failures: an identifier is a help, never a condition
    finally:
        os.close(descriptor)
    return _best(found)


def _best(found: object) -> Match | None:
    files = found.get("files", []) if isinstance(found, dict) else []
    matches = files[0].get("matches", []) if files else []
    for match in matches:
        if match.get("id", "") not in _UNKNOWN:
            basis = match.get("basis", "")
            by_bytes = "byte match" in basis or "container" in basis or "xml match" in basis
            return Match(match["id"], match.get("mime", "").split(",")[0].strip(), by_bytes, basis)
    return None
