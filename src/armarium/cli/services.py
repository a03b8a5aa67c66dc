"""The way into the house for commands that need it: its database and its services."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from armarium import logs
from armarium.core.services import Services
from armarium.server.assembly import visited
from armarium.settings import Settings


@contextmanager
def entered(settings: Settings) -> Iterator[Services]:
    logs.configure(settings, process="command", least=logging.WARNING)  # the answer is on standard output
    with visited(settings, application="armarium command") as house:
        yield house.services()
