"""A real Firefox, driven by Marionette, the protocol that it speaks itself: no driver, no patched browser."""

import base64
import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
PREFERENCES = {
    "marionette.port": 0,
    "app.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "network.dns.disablePrefetch": True,
    "toolkit.telemetry.enabled": False,
}
PATIENCE = 60  # seconds


class Firefox:
    def __init__(self, port: int) -> None:
        self._wire = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self._file = self._wire.makefile("rb")
        self._count = 0
        self._read()  # it introduces itself
        self.ask("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {"acceptInsecureCerts": True}}})

    def ask(self, command: str, values: dict[str, Any] | None = None) -> Any:
        self._count += 1
        text = json.dumps([0, self._count, command, values or {}])
        self._wire.sendall(f"{len(text)}:{text}".encode())
        _, _, error, result = self._read()
        assert not error, error
        return result.get("value", result) if isinstance(result, dict) else result

    def go(self, url: str) -> None:
        self.ask("WebDriver:Navigate", {"url": url})

    def enter_frame(self, number: int = 0) -> None:
        self.ask("WebDriver:SwitchToFrame", {"id": number})

    def leave_frame(self) -> None:
        self.ask("WebDriver:SwitchToFrame", {"id": None})

    def run(self, script: str, *arguments: object) -> Any:
        return self.ask("WebDriver:ExecuteScript", {"script": script, "args": list(arguments)})

    def screenshot(self) -> bytes:
        return base64.b64decode(self.ask("WebDriver:TakeScreenshot", {"full": False}))

    def wait(self, script: str, patience: float = PATIENCE) -> Any:
        """Until the script gives something true."""
        end = time.monotonic() + patience
        while not (found := self.run(f"return {script}")):
            assert time.monotonic() < end, f"waited too long for {script}"
            time.sleep(0.1)
        return found

    def _read(self) -> Any:
        digits = b""
        while (byte := self._file.read(1)) != b":":
            digits += byte
        return json.loads(self._file.read(int(digits)))


@contextmanager
def firefox(folder: Path) -> Iterator[Firefox]:
    assert FIREFOX is not None
    profile = folder / "profile"
    profile.mkdir()
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in PREFERENCES.items()]
    (profile / "user.js").write_text("\n".join(lines))
    command = [FIREFOX, "--headless", "--marionette", "--no-remote", "--profile", str(profile), "about:blank"]
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={"HOME": str(folder), "PATH": "/usr/bin:/bin", "MOZ_HEADLESS": "1"},
    )
    try:
        yield Firefox(_port(profile))
    finally:
        process.terminate()
        process.wait(PATIENCE)


def _port(profile: Path) -> int:
    """Which port it chose, it writes into its profile."""
    end = time.monotonic() + PATIENCE
    while not (found := (profile / "MarionetteActivePort")).is_file() or not found.read_text().strip():
        assert time.monotonic() < end, "Firefox does not answer"
        time.sleep(0.1)
    return int(found.read_text())
