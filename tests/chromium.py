"""Real Chromium, for every test that needs one."""

import ctypes
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, ProxySettings, sync_playwright

_PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
_ARGUMENTS = [
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Chromium refuses its sandbox to root; the pages are ours.
    *(["--no-sandbox"] if os.geteuid() == 0 else []),
]


def need_chromium() -> None:
    """Skip the test where there is none, before it makes anything dear."""
    if _PROGRAM is None:
        pytest.skip("There is no Chromium on this machine: apt-get install chromium")
    try:
        ctypes.CDLL("libatomic.so.1")
    except OSError:
        pytest.skip("Playwright needs a library that is missing: apt-get install libatomic1")


@contextmanager
def running_chromium(*arguments: str, proxy: ProxySettings | None = None) -> Iterator[Browser]:
    need_chromium()
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=_PROGRAM, args=[*_ARGUMENTS, *arguments], proxy=proxy
        )
        yield launched
        launched.close()
