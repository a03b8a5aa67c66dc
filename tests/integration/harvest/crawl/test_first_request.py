"""Only what its first request needs is imported before it: a crawl of one page costs hardly more than it."""

import subprocess
import sys
from pathlib import Path

CRAWL = """
import os, socket, sys, threading
from armarium.cli.main import main

server = socket.create_server(("127.0.0.1", 0))

def tell_at_the_first_request():
    server.accept()[0].recv(1)
    print(*sys.modules, flush=True)
    os._exit(0)

threading.Thread(target=tell_at_the_first_request).start()
address = f"http://127.0.0.1:{server.getsockname()[1]}/"
sys.argv = ["armarium", "crawl", address, "--out", sys.argv[1], "--quiet"]
main()
"""
NEEDED_LATER = {
    "armarium.formats.cdx.index",
    "armarium.formats.warc.reader",
    "armarium.harvest.closing",
    "armarium.harvest.extract.table",
    "armarium.harvest.record.lines",
    "armarium.harvest.traps.watch",
    "turbohtml",
}
NEVER_NEEDED = {
    "armarium.harvest.record.adoption",
    "armarium.harvest.team",
    "armarium.harvest.why",
    "cryptography",
    "dns",
    "rich",
    "sqlalchemy",
    "structlog",
}


def test_what_comes_after_the_first_request_is_imported_after_it(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CRAWL, str(tmp_path / "crawl")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    there = set(done.stdout.split())
    assert "armarium.harvest.engine.visiting" in there, done.stderr
    assert not (NEEDED_LATER | NEVER_NEEDED) & there
