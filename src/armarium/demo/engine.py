"""The crawler of the demonstration: the ordinary one, whose clock goes with the demonstration's calendar.

The product has no setting that could falsify dates. This module is what the demonstration's collectors start
in place of `armarium.collector.engine`, and it does nothing outside a demonstration's folder.
"""

import sys
from pathlib import Path

from armarium.collector import engine
from armarium.collector.child import REFUSED
from armarium.core import clock
from armarium.demo.calendar import MONTH, Calendar
from armarium.demo.folder import DemoFolder
from armarium.demo.web import Edition, read_edition
from armarium.terminal.output import complain

MISHAP = "The disk of the crawler is full: No space left on device."


def main(root: str, processes: str) -> int:
    folder = DemoFolder.around(Path(root))
    calendar = Calendar(folder)
    if calendar.is_there:
        calendar.follow()
    elif read_edition(folder.web) is Edition.FIRST:  # by hand: until a month has passed on the small web
        clock.follow(lambda: -MONTH)
    if folder.mishap.exists():
        folder.mishap.unlink()
        complain(MISHAP)
        return REFUSED
    return engine.main(root, processes)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
