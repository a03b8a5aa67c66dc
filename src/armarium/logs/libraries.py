"""Standard logging, through which our lines and those of the libraries go: who may speak, and how loudly."""

import logging
from collections.abc import Sequence

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
