"""The date of the demonstration while its year is made: all its processes follow one small file.

The product has no setting that could falsify dates. Only processes of a demonstration come here, and only as
long as it is built: the file is removed with the last page of the calendar.
"""

import mmap
import re
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from sqlalchemy import Engine, event

from armarium.core import clock
from armarium.demo.folder import DemoFolder

MONTH = timedelta(days=30)
WEEK = timedelta(days=7)
_SECONDS = struct.Struct("d")
_CLOCK = re.compile(r"\bclock_timestamp\(\)")  # leases and jobs are dated by the database


class Calendar:
    """Of one demonstration: how far it dates things back."""

    def __init__(self, folder: DemoFolder) -> None:
        self._file = folder.web / "calendar"
        self._alone: timedelta | None = None

    @property
    def is_there(self) -> bool:
        return self._file.is_file()

    def turn(self, back: timedelta) -> None:
        """From now on it is so long ago, for whoever follows. Written in place: they have the file open."""
        if not self.is_there:
            self._file.write_bytes(bytes(_SECONDS.size))
        with self._file.open("r+b") as file:
            file.write(_SECONDS.pack(-back.total_seconds()))

    @contextmanager
    def alone(self, back: timedelta) -> Iterator[None]:
        """So long ago for this process and no other: collectors would be refused while the dates leap."""
        self._alone = -back
        try:
            yield
        finally:
            self._alone = None

    def end(self) -> None:
        """It is today, for all who follow and all who come later."""
        self.turn(timedelta(0))
        self._file.unlink()

    def follow(self) -> None:
        """This process, and those that are forked from it, go by this calendar, where there is one."""
        if not self.is_there:
            return
        with self._file.open("rb") as file:
            page = mmap.mmap(file.fileno(), _SECONDS.size, access=mmap.ACCESS_READ)

        def shift() -> timedelta:
            return self._alone or timedelta(seconds=_SECONDS.unpack_from(page)[0])

        clock.follow(shift)
        _date_statements(shift)


def _date_statements(shift: Callable[[], timedelta]) -> None:
    """The database's own clock cannot be set back, but what is asked of it can."""

    def dated(_c: Any, _r: Any, statement: str, parameters: Any, *_more: Any) -> tuple[str, Any]:
        if "clock_timestamp()" in statement and (seconds := shift().total_seconds()):
            moved = f"(clock_timestamp() + interval '{seconds:.3f} seconds')"
            statement = _CLOCK.sub(moved, statement)
        return statement, parameters

    event.listen(Engine, "before_cursor_execute", dated, retval=True)
