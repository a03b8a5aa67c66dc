"""The collector of the demonstration, the ordinary one with another engine: `-m armarium.demo.collector`."""

import os
import sys
from datetime import datetime

import httpx

from armarium.collector.server import Server
from armarium.core import clock
from armarium.core.errors import Misconfigured
from armarium.demo.calendar import Calendar
from armarium.demo.folder import DemoFolder
from armarium.server.collecting import run_collector_process
from armarium.server.sections import load_settings
from armarium.server.supervised import EX_CONFIG, adopt
from armarium.terminal.output import complain

ENGINE = "armarium.demo.engine"


def _date(_server: Server, _response: httpx.Response) -> datetime:
    """When the site answered: it goes by the same calendar, and the header Date by the machine's clock."""
    return clock.now()


def main() -> int:
    os.umask(0o077)
    supervised = adopt()
    try:
        settings = load_settings(None, None)
        calendar = Calendar(DemoFolder(settings.home))
        if calendar.is_there:
            calendar.follow()
            Server._date = _date  # type: ignore[method-assign,assignment]
        run_collector_process(settings, supervised, engine=ENGINE)
    except Misconfigured as error:
        supervised.failed(str(error))
        complain(str(error))
        return EX_CONFIG
    return 0


if __name__ == "__main__":
    sys.exit(main())
