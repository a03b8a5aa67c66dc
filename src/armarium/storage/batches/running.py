"""One function on one file: whatever it does, the answer is a result or an error of this file alone."""

import json
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from armarium.core.errors import ArmariumError
from armarium.core.text import storable
from armarium.storage.batches.model import ResultState
from armarium.tasks.context import never

LARGEST = 1_000_000  # bytes of a result as JSON
LONGEST_ERROR = 2000
LOOKS_EVERY = 1.0  # seconds between two looks whether to stop
#: NUL as JSON writes it, which PostgreSQL does not keep; the backslash itself may be escaped.
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")


@dataclass(frozen=True)
class Answer:
    state: ResultState
    result: Any
    error: str
    seconds: float

    def values(self) -> dict[str, Any]:
        """Columns of the result."""
        return {
            "state": self.state.value,
            "result": self.result,
            "error": self.error,
            "seconds": self.seconds,
        }


class Call(threading.Thread):
    """One call in a thread of its own, which nobody waits for at the end of the process."""

    def __init__(self, call: Callable[[], Any]) -> None:
        super().__init__(name="batch", daemon=True)
        self._call = call
        self.result: Any = None
        self.failure: BaseException | None = None

    def run(self) -> None:
        with self:
            self.result = self._call()

    def __enter__(self) -> None: ...

    def __exit__(self, _kind: object, failure: BaseException | None, _trace: object) -> bool:
        """Whatever a function of somebody else's may raise, `sys.exit` included, is its answer: the worker
        and the files that follow must not suffer from it."""
        self.failure = failure
        return True


class Caller:
    """Calls functions, and waits for them only so long. A thread that never ends cannot be ended by others:
    it is left alone until the worker is started again."""

    def __init__(self, seconds: float, stopping: Callable[[], bool] = never) -> None:
        self._seconds = seconds
        self._stopping = stopping
        self.given_up = 0  # calls that did not end in time

    def ask(self, call: Callable[..., Any], file: object, arguments: Mapping[str, Any]) -> Answer | None:
        """None: somebody wants us to stop, and the function was at work."""
        begun = time.monotonic()
        running = Call(partial(call, file, **arguments))
        running.start()
        while running.is_alive():
            running.join(min(LOOKS_EVERY, self._seconds))
            seconds = time.monotonic() - begun
            if running.is_alive() and seconds > self._seconds:
                self.given_up += 1
                late = f"It did not end within {self._seconds} seconds, and was left alone."
                return Answer(ResultState.FAILED, None, late, seconds)
            if running.is_alive() and self._stopping():
                return None
        seconds = time.monotonic() - begun
        if running.failure is not None:
            return Answer(ResultState.FAILED, None, _told(running.failure), seconds)
        wrong = unfit(running.result)
        if wrong:
            return Answer(ResultState.FAILED, None, wrong, seconds)
        return Answer(ResultState.DONE, running.result, "", seconds)


def unfit(result: object) -> str:
    """Why a result cannot be kept; empty: it can."""
    try:
        text = json.dumps(result, allow_nan=False, ensure_ascii=False)
        size = len(text.encode())
    except (TypeError, ValueError, RecursionError) as problem:
        return f"The function returned something that JSON cannot hold: {problem}"[:LONGEST_ERROR]
    if size > LARGEST:
        return f"The result has {size} bytes as JSON; at most {LARGEST} are kept."
    return "The result holds a NUL character, which cannot be kept." if _NUL.search(text) else ""


def _told(failure: BaseException) -> str:
    """A sentence of ours as it is; of other errors also their kind and where they were raised."""
    if isinstance(failure, ArmariumError):
        return storable(str(failure))[:LONGEST_ERROR]
    trace = failure.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" (line {trace.tb_lineno} of {trace.tb_frame.f_code.co_name})" if trace else ""
    return storable(f"{type(failure).__name__}: {failure}"[:LONGEST_ERROR] + place)
