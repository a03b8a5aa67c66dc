"""`armarium` as it is typed into a terminal."""

import subprocess

from tests.acceptance.crawl.crawling import COMMAND


def armarium(*words: object, given: str = "") -> "subprocess.CompletedProcess[str]":
    done = subprocess.run(
        [*COMMAND, *map(str, words)], input=given, capture_output=True, text=True, timeout=60
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


def said(done: "subprocess.CompletedProcess[str]") -> str:
    """What a person reads, without the breaks between its lines."""
    return " ".join((done.stdout + done.stderr).split())
