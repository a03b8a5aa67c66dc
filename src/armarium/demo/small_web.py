"""The small web as a child of the house: `python -m armarium.demo.small_web FOLDER`."""

import signal
import sys
import threading
from pathlib import Path

from armarium.demo.folder import DemoFolder
from armarium.demo.web.serving import running
from armarium.server.supervised import adopt


def main(path: str) -> int:
    supervised = adopt()
    folder = DemoFolder(Path(path))
    facts = folder.facts()
    assert facts is not None, f"{path} is no demonstration"
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    with running(facts.ports.web, folder.web, facts.ports.names):
        supervised.ready()
        ended.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
