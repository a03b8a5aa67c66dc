"""The units of systemd in the documentation are sound, and let what they start do its work."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from armarium.cli.main import app
from armarium.server.assembly import SECTIONS
from armarium.settings import load
from armarium.tasks.settings import TaskSettings
from tests.documented import INSTALLED, PAGE, units, values

UNITS = units()
ARMARIUM = str(Path(sys.executable).with_name("armarium"))
ANALYZE = shutil.which("systemd-analyze")


def instances() -> set[str]:
    """The processes that the documentation starts by the template."""
    other = PAGE.with_name("add-a-collector.md").read_text()
    return set(re.findall(r"armarium@(\w+)", PAGE.read_text() + other))


def test_each_unit_starts_a_command_that_exists() -> None:
    started = {text for unit in UNITS.values() for text in values(unit, "ExecStart")}
    assert started == {f"{INSTALLED} up", f"{INSTALLED} %i"}
    known = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    assert instances() == {"web", "scheduler", "worker", "access", "collector"}
    assert instances() < set(known)


@pytest.mark.skipif(ANALYZE is None, reason="systemd-analyze is not installed")
def test_systemd_understands_every_line(tmp_path: Path) -> None:
    files = {"armarium.service": UNITS["armarium.service"]}
    files |= {f"armarium@{name}.service": UNITS["armarium@.service"] for name in instances()}
    for name, unit in files.items():
        (tmp_path / name).write_text(unit.replace(INSTALLED, ARMARIUM))
    command = ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", *files]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert (found.returncode, found.stderr) == (0, "")


def test_running_tasks_may_end_in_order(tmp_path: Path) -> None:
    drain = load(SECTIONS, home=tmp_path, environ={})[TaskSettings].drain_seconds
    assert all(float(values(unit, "TimeoutStopSec")[0]) > 2 * drain for unit in UNITS.values())


#: What `ProtectSystem=strict`, `StateDirectory` and `PrivateTmp` do, in the words of mount(8).
CONFINED = """
set -e
mount --make-rprivate /
mount --bind "$ARMARIUM_HOME" "$ARMARIUM_HOME"
if [ "$PRIVATE" = yes ]; then mount -t tmpfs none /tmp; mount -t tmpfs none /var/tmp; fi
mount -o remount,bind,ro /
cd /
exec "$@"
"""
PROBE = """
import os, tempfile
with tempfile.TemporaryFile() as file, open(os.environ["ARMARIUM_HOME"] + "/probe", "w") as kept:
    file.write(b"a capture"), kept.write("a file")
"""


def may_confine() -> bool:
    command = ["unshare", "--mount", "sh", "-c", "mount --make-rprivate / && mount -t tmpfs none /mnt"]
    return (
        bool(shutil.which("unshare"))
        and subprocess.run(command, capture_output=True, check=False).returncode == 0
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may confine a process as systemd does")
@pytest.mark.parametrize("name", UNITS)
def test_what_is_started_can_write_its_data_and_temporary_files(name: str) -> None:
    if not may_confine():
        pytest.skip("this machine lets nobody mount")
    unit = UNITS[name]
    assert values(unit, "ProtectSystem") == ["strict"]
    home = Path(f"/var/lib/armarium-test-{os.getpid()}")
    home.mkdir()
    python = str(Path(sys.executable).resolve())  # not that of .venv: the checkout may lie in /tmp
    private = (values(unit, "PrivateTmp") or ["no"])[0]
    environ = {"PATH": os.environ["PATH"], "ARMARIUM_HOME": str(home), "PRIVATE": private}
    command = ["unshare", "--mount", "sh", "-c", CONFINED, "sh", python, "-I", "-c", PROBE]
    try:
        done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
    finally:
        shutil.rmtree(home)
