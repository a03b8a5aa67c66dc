"""Keeping a process with many threads small, and its answers even."""

import ctypes
import gc

# malloc.h of glibc
_ARENA_MAX, _MMAP_THRESHOLD, _TRIM_THRESHOLD = -8, -3, -1
_ARENAS = 2  # by default each thread may get one of its own, and keeps what it once needed
_LARGE = 64 * 1024  # bytes from which on memory is given back as soon as it is free


def stay_small() -> None:
    """Give memory back early. Records come and go; what they took should not stay for ever."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except AttributeError:  # another C library: it has its own ways
        return
    mallopt(_ARENA_MAX, _ARENAS)
    mallopt(_MMAP_THRESHOLD, _LARGE)
    mallopt(_TRIM_THRESHOLD, _LARGE)


def keep_loaded() -> None:
    """Spare the search for garbage what was loaded at the start: it stays as long as the process.

    A search through some 400,000 things takes a fifth of a second, again and again, and whatever is being
    answered in any thread waits for it.
    """
    gc.collect()
    gc.freeze()
