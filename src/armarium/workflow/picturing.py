"""A picture of a page, by a Chromium that sees the network through our own proxy only.

The browser is sandboxed, runs under a number that no account has if we are root, keeps a profile in a folder
that goes away with it, and is ended with all its children when its time is up.
"""

import asyncio
import contextlib
import os
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

import structlog

from armarium.core.errors import Misconfigured
from armarium.db.embedded.account import free_number
from armarium.selection.entry.checker import PictureState
from armarium.selection.settings import EntrySettings

log = structlog.get_logger(__name__)

NAMES = ("chromium", "chromium-browser", "google-chrome")
PREFIX = "armarium-picture-"
FORGOTTEN = 3600.0  # seconds after which a folder is what a killed worker left
LARGEST = 200_000  # bytes
WINDOW = "1280,960"
SCALES = ("0.5", "0.25")  # smaller only if the first picture is too large
SLACK = 5.0  # seconds that the browser has to start and to end
#: The browser lives as long as somebody holds the other end of its standard input: if this process is killed,
#: the kernel lets go of it, and the whole group ends, whatever a page keeps it busy with.
GUARDED = ("/bin/sh", "-c", '{ "$@"; kill -9 0; } & read -r _; kill -9 0', "browser")
PICTURED = ("http://", "https://")  # what leads through the proxy; others lead into this machine
# It needs nothing of our environment, which may hold secrets.
ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C.UTF-8", "TZ": "UTC"}
ARGUMENTS = (
    "--headless",
    "--disable-gpu",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-component-update",
    "--disable-crash-reporter",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-quic",
    "--disable-sync",
    "--hide-scrollbars",
    "--mute-audio",
    "--no-pings",
    "--password-store=basic",
    # Also for the loopback, which Chromium would otherwise visit by itself.
    "--proxy-bypass-list=<-loopback>",
    # Else a page's script sends datagrams anywhere. The second is the name that older browsers know; what
    # a browser does not know it passes over without a word.
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    # Names are the proxy's business: the browser asks no name server.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    f"--window-size={WINDOW}",
)


class ProxyOfOurs(Protocol):
    """All that the browser sees of the network."""

    @property
    def port(self) -> int: ...


def browser_of(chosen: EntrySettings) -> str | None:
    """The Chromium that takes pictures, if there is one."""
    browser = chosen.browser or next(filter(None, map(shutil.which, NAMES)), None)
    return browser if browser is not None and os.access(browser, os.X_OK) else None


@dataclass(frozen=True)
class Photographer:
    browser: str
    seconds: float
    proxy: ProxyOfOurs
    scales: Sequence[str] = SCALES
    more: Sequence[str] = ()  # arguments of the browser

    @classmethod
    def of(cls, chosen: EntrySettings, proxy: ProxyOfOurs) -> Self | PictureState:
        """Who takes pictures, or why nobody does."""
        if not chosen.pictures or chosen.proxy:  # the browser does not go through somebody else's proxy
            return PictureState.SWITCHED_OFF
        browser = browser_of(chosen)
        if browser is None:
            return PictureState.NO_BROWSER
        clear_away()
        return cls(browser, chosen.picture_seconds, proxy)

    async def take(self, url: str) -> bytes | None:
        """A JPEG of the page, or None; never raises for what a page does."""
        if not url.lower().startswith(PICTURED):
            return None
        for scale in self.scales:
            picture = await asyncio.to_thread(self._take, url, scale)
            if picture is None or len(picture) <= LARGEST:
                return picture
        return None

    def _take(self, url: str, scale: str) -> bytes | None:
        try:
            return self._taken(url, scale)
        except (OSError, Misconfigured) as error:  # no room on the disk, nobody to run the browser as
            log.warning("no picture was taken", reason=str(error))
            return None

    def _taken(self, url: str, scale: str) -> bytes | None:
        with _folder() as (folder, uid):
            file = folder / "picture.jpeg"
            command = [
                self.browser,
                *ARGUMENTS,
                *self.more,
                f"--proxy-server=http://127.0.0.1:{self.proxy.port}",
                f"--user-data-dir={folder / 'profile'}",
                f"--timeout={int(self.seconds * 1000)}",
                f"--force-device-scale-factor={scale}",
                f"--screenshot={file}",
                "--",
                url,
            ]
            self._run(command, folder, uid)
            return _read(file)

    def _run(self, command: list[str], folder: Path, uid: int | None) -> None:
        with subprocess.Popen(  # noqa: S603  (our own command, without a shell)
            [*GUARDED, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**ENVIRONMENT, "HOME": str(folder)},
            cwd=folder,
            start_new_session=True,
            user=uid,
            group=uid,
            extra_groups=[] if uid is not None else None,
        ) as process:
            try:
                process.wait(self.seconds + SLACK)
            except subprocess.TimeoutExpired:
                log.info("the browser took too long for a picture", seconds=self.seconds)
            finally:
                with contextlib.suppress(ProcessLookupError):  # its children have its group
                    os.killpg(process.pid, signal.SIGKILL)


@contextmanager
def _folder() -> Iterator[tuple[Path, int | None]]:
    """A folder for one run, and the number under which it runs; None: our own."""
    uid = free_number() if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as name:
        folder = Path(name)
        if uid is not None:
            os.chown(folder, uid, uid)
        yield folder, uid


def _read(file: Path) -> bytes | None:
    """The picture, if it is one: whoever has taken over the browser could have put a link there."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as opened:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        data = opened.read(LARGEST * 10)
    return data if data.startswith(b"\xff\xd8\xff") else None


def clear_away() -> None:
    """Remove folders of browsers whose worker was killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            if time.time() - folder.lstat().st_mtime > FORGOTTEN and not folder.is_symlink():
                shutil.rmtree(folder, ignore_errors=True)
