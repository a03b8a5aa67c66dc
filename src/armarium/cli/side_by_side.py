"""The same work on many files at once, each in a process of its own: one that dies takes no other with it."""

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any, NamedTuple, TypeVar

Answer = TypeVar("Answer")

# A pool's worker is not missed when the kernel ends it, and `imap` waits for its answer for ever; an executor
# tells that one died, but not over which file. A child for each file costs milliseconds and tells both.
_FORK = multiprocessing.get_context("fork")


class Died(NamedTuple):
    """The process gave no answer."""

    exit_code: int  # as in `multiprocessing`: a signal is negative


class _Child(NamedTuple):
    place: int  # of its name among all
    process: Any


def side_by_side(work: Callable[[str], Answer], names: Sequence[str], most: int) -> "Iterator[Answer | Died]":
    """The answers in the order of the names, from at most so many processes at the same time.

    Whoever stops asking, also by Ctrl-C, ends those that still run.
    """
    running: dict[Connection, _Child] = {}
    answers: dict[int, Answer | Died] = {}
    begun = given = 0
    try:
        while given < len(names):
            while begun < len(names) and len(running) < most:
                connection, process = _started(work, names[begun])
                running[connection] = _Child(begun, process)
                begun += 1
            for ready in wait(list(running)):
                assert isinstance(ready, Connection), "nothing else is waited for"
                child = running.pop(ready)
                answers[child.place] = _answer(ready, child.process)
            while given in answers:
                yield answers.pop(given)
                given += 1
    finally:
        for child in running.values():
            child.process.kill()
            child.process.join()


def _started(work: Callable[[str], Answer], name: str) -> tuple[Connection, Any]:
    receiving, sending = _FORK.Pipe(duplex=False)
    process = _FORK.Process(target=_work, args=(work, name, sending), daemon=True)
    process.start()
    sending.close()  # or its end would not be noticed
    return receiving, process


def _work(work: Callable[[str], Answer], name: str, sending: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is left to the process that asked
    sending.send(work(name))


def _answer(receiving: Connection, process: Any) -> Any:
    with receiving:
        try:
            answer = receiving.recv()
        except (EOFError, OSError):  # nothing came, or half an answer
            process.join()
            return Died(process.exitcode or 0)
    process.join()
    return answer
