"""Where lines go. A line that cannot be written is lost; the process that wrote it goes on."""

import logging
import os
import select
import socket
import stat
import sys
import time
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

STANDARD_ERROR = 2
WAIT_FOR_READER = 1.0  # seconds, once, when somebody reads slowly or not at all


class _Unstoppable(logging.Handler):
    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  (name given by logging)
        """A closed pipe or a full disk is no error of the code that logs; a bad format is, and is shown."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)


class DescriptorHandler(_Unstoppable):
    """Writes each line with one system call to a file descriptor, and never waits long for its reader.

    Several processes share the standard error of the supervisor. Through Python's buffers their lines
    would mix, and what a closed pipe refused would stay in the buffer and spoil the exit code.
    A reader may stall (Ctrl-S, a pager, a dead line to a terminal far away): what it does not take is lost,
    and counted.
    """

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._exit = _Exit(descriptor)
        self._lost = 0
        self._half = False  # the last line was not written to its end

    def emit(self, record: logging.LogRecord) -> None:
        try:
            lines = [self.format(self._loss()), self.format(record)] if self._lost else [self.format(record)]
            self._write("".join(f"{line}\n" for line in lines).encode("utf-8", errors="backslashreplace"))
        except Exception:  # noqa: BLE001  (outermost loop of a line: logging must never raise)
            self.handleError(record)

    def close(self) -> None:
        super().close()
        self._exit.close()

    def _write(self, lines: bytes) -> None:
        data = b"\n" + lines if self._half else lines
        # A reader that stalls is waited for once, not at every line.
        rest = self._exit.write(data, 0.0 if self._lost else WAIT_FOR_READER)
        if rest == data:
            self._lost += 1
        else:
            self._lost, self._half = 0, bool(rest)

    def _loss(self) -> logging.LogRecord:
        words = "%d lines before this one are lost: they were not read in time"
        return logging.LogRecord(__name__, logging.WARNING, __file__, 0, words, (self._lost,), None)


class _Exit:
    """A way out for bytes on which no write blocks.

    Not by O_NONBLOCK on the descriptor itself: everybody who has it would feel that, also the shell of a
    terminal. Opened anew, a pipe or a terminal is ours alone; a socket is asked at every write.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._own: int | socket.socket | None = None
        try:
            self._own = _opened_anew(descriptor)
        except OSError:
            return  # not ours to open, or nobody reads any more: `_take` looks before it writes

    def close(self) -> None:
        if isinstance(self._own, int):
            os.close(self._own)
        elif self._own is not None:
            self._own.close()
        self._own = None

    def write(self, data: bytes, patience: float) -> bytes:
        """Write what is taken, waiting so many seconds at most; what was not taken is the answer."""
        deadline = time.monotonic() + patience
        while data:
            try:
                data = data[self._take(data) :]
            except BlockingIOError:
                left = deadline - time.monotonic()
                if left <= 0 or not self._is_ready(left):
                    break
        return data

    def _take(self, data: bytes) -> int:
        if isinstance(self._own, int):
            return os.write(self._own, data)
        if self._own is not None:
            return self._own.send(data, socket.MSG_DONTWAIT)
        if stat.S_ISREG(os.fstat(self._descriptor).st_mode):
            return os.write(self._descriptor, data)
        if not self._is_ready(0):
            raise BlockingIOError
        return os.write(self._descriptor, data[: select.PIPE_BUF])  # so much fits where anything fits

    def _is_ready(self, seconds: float) -> bool:
        waiting = select.poll()  # not select(2): a site with many visitors has descriptors above its limit
        waiting.register(self._descriptor, select.POLLOUT)
        return bool(waiting.poll(seconds * 1000))


def _opened_anew(descriptor: int) -> int | socket.socket | None:
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISSOCK(mode):
        return socket.socket(fileno=os.dup(descriptor))
    if stat.S_ISFIFO(mode) or os.isatty(descriptor):
        return os.open(f"/proc/self/fd/{descriptor}", os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
    return None


class FileHandler(_Unstoppable, RotatingFileHandler):
    """A log file that is renamed to `.1`, `.2` … when it has grown to its size."""

    def __init__(self, path: Path, *, megabytes: int, kept: int) -> None:
        super().__init__(
            path,
            maxBytes=megabytes * 1_000_000,
            backupCount=kept,
            encoding="utf-8",
            errors="backslashreplace",
        )

    def _open(self) -> TextIOWrapper:
        opened = open(  # noqa: SIM115  (closed by the handler)
            self.baseFilename, self.mode, encoding=self.encoding, errors=self.errors, opener=_open_for_us
        )
        assert isinstance(opened, TextIOWrapper)
        return opened


def _open_for_us(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
