"""The collector of the demonstration, the ordinary one with another engine: `-m armarium.demo.collector`."""

import os
import sys

from armarium.core.errors import Misconfigured
from armarium.server.collecting import run_collector_process
from armarium.server.sections import load_settings
from armarium.server.supervised import EX_CONFIG, adopt
from armarium.terminal.output import complain

ENGINE = "armarium.demo.engine"


def main() -> int:
    os.umask(0o077)
    supervised = adopt()
    try:
        run_collector_process(load_settings(None, None), supervised, engine=ENGINE)
    except Misconfigured as error:
        supervised.failed(str(error))
        complain(str(error))
        return EX_CONFIG
    return 0


if __name__ == "__main__":
    sys.exit(main())
