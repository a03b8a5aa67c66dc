"""What a piece of work costs the processor, whatever else the machine has to do meanwhile."""

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def processor_seconds(most: float) -> Iterator[None]:
    """What is done within takes less than this; give several times what a quiet machine needs.

    Counted is this thread's own time. Python's collector stays out of it: it would go through everything that
    the tests before have left, and how much that is depends on which they were.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        began = time.thread_time()
        yield
        taken = time.thread_time() - began
    finally:
        if collecting:
            gc.enable()
    assert taken < most, f"took {taken:.2f} s of the processor's time, not less than {most} s"
