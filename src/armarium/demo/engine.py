"""The crawler of the demonstration: the ordinary one, whose clock goes with the edition of the small web.

The product has no setting that could falsify dates. This module is what the demonstration's collectors start
in place of `armarium.collector.engine`, and it does nothing outside a demonstration's folder.
"""

import sys
from datetime import timedelta
from pathlib import Path

from armarium.collector import engine
from armarium.core import clock
from armarium.demo.folder import DemoFolder
from armarium.demo.web import Edition, read_edition

MONTH = timedelta(days=30)


def main(root: str, processes: str) -> int:
    if read_edition(DemoFolder.around(Path(root)).web) is Edition.FIRST:
        clock.shift(-MONTH)
    return engine.main(root, processes)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
