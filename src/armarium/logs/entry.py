"""The way into the logs. What makes their lines is imported with the first line, or with the settings.

A command without settings seldom has anything to log, and structlog is slow to import.
"""

import logging
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from armarium.logs.handlers import STANDARD_ERROR, DescriptorHandler

if TYPE_CHECKING:  # a command without settings needs none of it
    from armarium.settings import Settings
from collections.abc import Sequence

# --- Standard logging, through which our lines and those of the libraries go: who may speak, and how loudly.


# Libraries whose own handlers would print a second time, or past the masking.
LIBRARIES = (
    "uvicorn",
    "uvicorn.error",
    "uvicorn.access",
    "sqlalchemy",
    "alembic",
    "procrastinate",
    "asyncio",
)

# Libraries that say too much at our level. SQLAlchemy would write the values of every statement, and
# uvicorn, Alembic and procrastinate tell at each start what an operator does not need to know.
QUIETER = {
    "uvicorn": logging.WARNING,
    "alembic": logging.WARNING,
    "procrastinate": logging.WARNING,
    "sqlalchemy": logging.WARNING,
    "psycopg": logging.WARNING,
    "httpx": logging.WARNING,
    "httpcore": logging.WARNING,
    "asyncio": logging.INFO,
}


def install(handlers: Sequence[logging.Handler], level: int) -> None:
    """Let all that is logged from `level` on go to these handlers, and to no other."""
    root = logging.getLogger()
    for old in list(root.handlers):
        root.removeHandler(old)
        old.close()
    for name in LIBRARIES:
        library = logging.getLogger(name)
        library.handlers.clear()
        library.propagate = True
    for name, quieter in QUIETER.items():
        logging.getLogger(name).setLevel(max(level, quieter))
    for handler in handlers:
        root.addHandler(handler)
    root.setLevel(level)
    logging.captureWarnings(True)


# --- The way in.


SETUP = "armarium.logs.setup"


def configure(
    settings: "Settings", *, process: str, descriptor: int = STANDARD_ERROR, least: int = logging.NOTSET
) -> None:
    """Set up logging for this process, named `process` in every line; may be called again.

    `least`: nothing below this level is written, whatever the settings say: a command is no process.
    """
    import_module(SETUP).configure(settings, process=process, descriptor=descriptor, least=least)


def configure_without_settings(*, process: str, least: int = logging.WARNING) -> None:
    """The same for a command that needs no data folder: lines for people, on standard error."""
    handler = DescriptorHandler(STANDARD_ERROR)
    handler.setFormatter(_LineForPeople(process))
    install([handler], least)
    if "structlog" in sys.modules:  # somebody may hold a logger of it already
        import_module(SETUP).join_structlog()


class LateLogger:
    """A logger of structlog, which is imported when something is logged."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, method: str) -> Any:
        setup = import_module(SETUP)
        if any(isinstance(handler.formatter, _LineForPeople) for handler in logging.getLogger().handlers):
            setup.join_structlog()
        return getattr(setup.structlog.get_logger(self._name), method)


class _LineForPeople(logging.Formatter):
    def __init__(self, process: str) -> None:
        super().__init__()
        self._process = process
        self._made: logging.Formatter | None = None

    def format(self, record: logging.LogRecord) -> str:
        if self._made is None:
            self._made = import_module(SETUP).formatter_for_people(self._process)
        return self._made.format(record)
