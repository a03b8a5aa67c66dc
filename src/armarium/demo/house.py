"""The house of the demonstration: `armarium up` with the small web, and collectors that know its month.

`python -m armarium.demo.house FOLDER LIFELINE`: the second is a descriptor; when whoever holds its other end
is gone, however, so is the house.
"""

import os
import sys
from pathlib import Path

from armarium.core.errors import ArmariumError
from armarium.demo.calendar import Calendar
from armarium.demo.folder import DemoFolder
from armarium.server.child import ChildSpec
from armarium.server.sections import load_settings
from armarium.server.supervised import EX_CONFIG
from armarium.server.up import Crew, run_up
from armarium.settings.section import HOME
from armarium.terminal.output import complain

PYTHON = (sys.executable, "-m")


def main(folder: str, line: str) -> int:
    os.umask(0o077)
    Calendar(DemoFolder(Path(folder))).follow()
    web = ChildSpec("small-web", (folder,), (*PYTHON, "armarium.demo.small_web"), environment={HOME: folder})
    try:
        crew = Crew((*PYTHON, "armarium.demo.collector"), (web,), lifeline=int(line))
        run_up(load_settings(Path(folder), None), crew)
    except ArmariumError as error:
        complain(str(error))
        return EX_CONFIG


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
