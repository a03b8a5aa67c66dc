"""A limit on bytes a second, shared by the threads that use one place."""

import threading
import time
from collections.abc import Callable

from armarium.tasks.context import never
from armarium.tasks.failure import TaskStopped

NAP = 0.5  # seconds after which a sleeper asks whether it should stop


class ByteRate:
    """Each piece is given its moment, one piece's time behind the piece before: no bursts, no starvation."""

    def __init__(
        self,
        bytes_per_second: int,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._bytes_per_second = bytes_per_second
        self._clock = clock
        self._sleep = sleep
        self._lock = threading.Lock()
        self._free_at = clock()

    def take(self, count: int, stopping: Callable[[], bool] = never) -> None:
        """Wait until so many bytes may move; raises `TaskStopped` if the task is to stop meanwhile."""
        if self._bytes_per_second <= 0:
            return
        with self._lock:
            moment = max(self._free_at, self._clock())
            self._free_at = moment + count / self._bytes_per_second
        while (left := moment - self._clock()) > 0:
            if stopping():
                raise TaskStopped
            self._sleep(min(left, NAP))
