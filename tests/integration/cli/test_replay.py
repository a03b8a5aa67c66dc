"""`armarium replay` says at once when there is nothing to read."""

import socket
from pathlib import Path

from typer.testing import CliRunner

from armarium.cli.main import app
from armarium.core.errors import Refused


def test_files_without_a_capture_are_not_served(tmp_path: Path) -> None:
    file = tmp_path / "letters.txt"
    file.write_text("no archive\n" * 10)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    result = CliRunner().invoke(app, ["replay", str(file), "--port", port])
    assert isinstance(result.exception, Refused)
    assert "no capture" in str(result.exception)
