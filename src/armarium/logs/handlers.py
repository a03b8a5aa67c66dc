"""Where lines go. A line that cannot be written is lost; the process that wrote it goes on."""

import logging
import os
import select
import sys
from logging.handlers import RotatingFileHandler
from pathlib import Path

WAIT_FOR_READER = 1.0  # seconds, when somebody made our standard error non-blocking and it is full


class _Unstoppable(logging.Handler):
    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  (name given by logging)
        """A closed pipe or a full disk is no error of the code that logs; a bad format is, and is shown."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)


class DescriptorHandler(_Unstoppable):
    """Writes each line with one system call to a file descriptor.

    Several processes share the standard error of the supervisor. Through Python's buffers their lines
    would mix, and what a closed pipe refused would stay in the buffer and spoil the exit code.
    """

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor

    def emit(self, record: logging.LogRecord) -> None:
        try:
            line = self.format(record) + "\n"
            self._write(line.encode("utf-8", errors="backslashreplace"))
        except Exception:  # noqa: BLE001  (outermost loop of a line: logging must never raise)
            self.handleError(record)

    def _write(self, data: bytes) -> None:
        while data:
            try:
                data = data[os.write(self._descriptor, data) :]
            except BlockingIOError:
                if not select.select([], [self._descriptor], [], WAIT_FOR_READER)[1]:
                    return


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
