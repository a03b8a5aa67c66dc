"""Real Chromium, for every test that needs one."""

import ctypes
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ProxySettings, sync_playwright

from tests.site import wait_until

_BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# The same without windows and profiles: it takes a third of the processor's time.
_DRIVEN = shutil.which("chromium-headless-shell") or _BROWSER
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
    if _BROWSER is None:
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
            executable_path=_DRIVEN, args=[*_ARGUMENTS, *arguments], proxy=proxy
        )
        yield launched
        launched.close()


@contextmanager
def chromium_as_people_have_it(driver: Browser, profile: Path, *arguments: str) -> Iterator[Browser]:
    """Another one, without the switches of Playwright, which turn off how browsers keep sites apart."""
    need_chromium()
    assert _BROWSER is not None
    own = ["--headless=new", "--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank"]
    running = subprocess.Popen([_BROWSER, *_ARGUMENTS, *arguments, *own], stderr=subprocess.DEVNULL)
    try:
        noted = profile / "DevToolsActivePort"
        wait_until(lambda: noted.is_file() and noted.read_text().count("\n") > 0)
        yield driver.browser_type.connect_over_cdp(f"http://127.0.0.1:{noted.read_text().split()[0]}")
    finally:
        running.terminate()
        running.wait(60)
