"""A made-up checkout: the real commands ./run and ./test around a package that only says how it was started.

The real dependencies would need the network. This package has none, and builds itself without setuptools,
so that real Python, real venv and real pip do all the rest offline. They do it where the first start is the
question; elsewhere stand-ins for venv and pip do what is needed of them, which takes a hundredth.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).parents[3]
COMMANDS = ("run", "test", "tools/setup.sh")
PYTHON = Path(sys.base_prefix, "bin", f"python{sys.version_info.major}.{sys.version_info.minor}")

PYPROJECT = """\
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]

[project]
name = "armarium"
version = "1"
"""

BACKEND = """\
import pathlib
import zipfile

def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    name = "armarium-1-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory, name), "w") as wheel:
        wheel.writestr("armarium.pth", str(pathlib.Path("src").resolve()) + "\\n")
        wheel.writestr("armarium-1.dist-info/METADATA",
                       "Metadata-Version: 2.1\\nName: armarium\\nVersion: 1\\nProvides-Extra: test\\n")
        wheel.writestr("armarium-1.dist-info/WHEEL",
                       "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr("armarium-1.dist-info/RECORD", "")
    return name
"""

MAIN = """\
import json, os, sys
print(json.dumps({"arguments": sys.argv[1:], "home": os.environ["ARMARIUM_HOME"], "folder": os.getcwd(),
                  "environment": sys.prefix, "python_path": os.environ.get("PYTHONPATH")}))
"""

# Stands in for a Python of the system: its virtual environments have no pip but the one below.
SWIFT_PYTHON = f"""\
if [[ "$1 $2" != "-m venv" ]]; then exec "{PYTHON}" "$@"; fi
"{PYTHON}" -m venv --without-pip "$3"
for packages in "$3"/lib/python*/site-packages; do cp "${{0%/*}}/swift_pip.py" "$packages/pip.py"; done
"""
# As long as a file `hold` lies in the checkout it goes on downloading.
SWIFT_PIP = """\
import pathlib, sys, sysconfig, time
while pathlib.Path("hold").exists():
    time.sleep(0.01)
if "-e" in sys.argv:
    packages = pathlib.Path(sysconfig.get_path("purelib"))
    packages.joinpath("armarium.pth").write_text(str(pathlib.Path("src").resolve()) + "\\n")
"""


class House:
    """A checkout in a folder of its own, and the surroundings in which its commands are started."""

    def __init__(self, root: Path, *, swift: bool = False) -> None:
        """`swift`: with stand-ins for venv and pip."""
        self.root = root
        self.tools = root.parent / "tools on the path"
        self.environ = {
            "PATH": f"{self.tools}:/usr/bin:/bin",
            "HOME": str(root.parent),
            "LANG": "C.UTF-8",
            "PYTHON": str(PYTHON),
            "PIP_NO_INDEX": "1",
        }
        self._build()
        if swift:
            self.command_on_the_path("swift_python", SWIFT_PYTHON)
            (self.tools / "swift_pip.py").write_text(SWIFT_PIP)
            self.environ["PYTHON"] = str(self.tools / "swift_python")

    def _build(self) -> None:
        self.tools.mkdir(parents=True)
        for name in COMMANDS:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(CHECKOUT / name, self.root / name)
        files = {
            "pyproject.toml": PYPROJECT,
            "constraints.txt": "",
            "backend.py": BACKEND,
            "tools/apart.txt": "",
            "tests/peers.txt": "",
        }
        files |= {"src/armarium/__init__.py": "", "src/armarium/__main__.py": MAIN}
        for name, text in files.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)

    def command_on_the_path(self, name: str, script: str) -> None:
        path = self.tools / name
        path.write_text(f"#!/bin/bash\n{script}\n")
        path.chmod(0o755)

    def start(self, *command: str) -> "subprocess.Popen[str]":
        """Start in a process group of its own, so that it can be killed with all that it started."""
        return subprocess.Popen(
            [self.root / command[0], *command[1:]],
            env=self.environ,
            cwd=self.root.parent,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def call(self, *command: str, user: int | None = None) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [self.root / command[0], *command[1:]],
            env=self.environ,
            cwd=self.root.parent,
            text=True,
            capture_output=True,
            user=user,
            group=user,
            extra_groups=None if user is None else [],
        )


def running_as_root() -> bool:
    return os.geteuid() == 0
