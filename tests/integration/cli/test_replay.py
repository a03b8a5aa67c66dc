"""`armarium replay` says at once when there is nothing to read."""

import signal
import socket
import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner

from armarium.cli.main import app
from armarium.core.errors import Refused
from tests import forked
from tests.unit.formats.wacz.samples import WARC


def free_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return str(free.getsockname()[1])


def test_files_without_a_capture_are_not_served(tmp_path: Path) -> None:
    file = tmp_path / "letters.txt"
    file.write_text("no archive\n" * 10)
    result = CliRunner().invoke(app, ["replay", str(file), "--port", free_port()])
    assert isinstance(result.exception, Refused)
    assert "no capture" in str(result.exception)


def test_it_ends_in_silence_though_nobody_reads_what_it_says(tmp_path: Path) -> None:
    (tmp_path / "a.warc").write_bytes(WARC)
    words = [sys.executable, "-m", "armarium", "replay", str(tmp_path), "--port", free_port()]
    pipe = subprocess.PIPE
    with forked.Popen(words, stdout=pipe, stderr=pipe) as process:
        assert process.stdout is not None
        assert any(b"Ctrl-C" in line for line in process.stdout)
        process.stdout.close()
        process.send_signal(signal.SIGTERM)
        process.stdout = None  # nobody reads it any more, this test included
        try:
            _, complaints = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 0
    assert b"Error" not in complaints
