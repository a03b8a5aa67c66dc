"""The small web as a child of the house: `python -m armarium.demo.small_web FOLDER`."""

import json
import signal
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

from armarium.core.message import Message, message
from armarium.demo.folder import DemoFolder, Ports
from armarium.demo.web import SITES, Edition, running
from armarium.demo.web.building import truth
from armarium.server.supervised import EX_CONFIG, adopt

TRUTH = "truth.json"

#: Paths of each site with their status, by edition and host.
Truths = Mapping[str, Mapping[str, Mapping[str, int]]]


def main(path: str) -> int:
    supervised = adopt()
    folder = DemoFolder(Path(path))
    facts = folder.facts()
    assert facts is not None, f"{path} is no demonstration"
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    folder.serving.unlink(missing_ok=True)
    _prepare(folder)
    try:
        with running(facts.ports.web, folder.web, facts.ports.names):
            folder.serving.touch()
            supervised.ready()
            ended.wait()
    except OSError as error:
        supervised.failed(str(_no_port(facts.ports, error)))
        return EX_CONFIG
    return 0


def _no_port(ports: Ports, error: OSError) -> Message:
    return message(
        "The small web cannot listen on the ports %(web)s and %(names)s: %(reason)s. Stop what uses them, "
        "then try again.",
        web=ports.web,
        names=ports.names,
        reason=error.strerror or str(error),
    )


def _prepare(folder: DemoFolder) -> None:
    """Draw every picture before the first request: a crawl must not wait for a painter. What there is to be
    found is written down on the way."""
    known = {
        edition.value: {site.name: dict(truth(site, edition).addresses) for site in SITES}
        for edition in Edition
    }
    half = folder.web / f"{TRUTH}.half"
    half.write_text(json.dumps(known))
    half.replace(folder.web / TRUTH)


def read_truths(folder: DemoFolder) -> Truths:
    """What the small web has, as it says itself."""
    known: Truths = json.loads((folder.web / TRUTH).read_bytes())
    return known


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
