"""What Armarium weighs: lines, imports, memory at rest, CPU of its start and of its commands.

    .venv/bin/python tools/weight.py            all of it, in about a minute and a half
    .venv/bin/python tools/weight.py --no-house what needs no running house

Memory is PSS (what several processes share counts for each by its part), CPU is user and system time.
"""

import os
import re
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parent.parent
ARMARIUM = (sys.executable, "-m", "armarium")
SURFACE = re.compile(r"(.*_)?(pages|api|forms?|commands|queries|words|schemas|labels)(_.*)?\.py")
IMPORTS = ("server.web", "server.access", "server.background", "server.up", "server.collecting")
ALONE = (("--version",), ("url", "canonical", "http://EXAMPLE.org/"), ("settings", "show"))
WITH_DATABASE = (
    ("accounts", "list"),
    ("plan", "harvests", "list"),
    ("store", "files", "list"),
    ("overview",),
)
AT_REST = 20.0  # seconds after the start


def lines(paths: list[Path]) -> int:
    return sum(len(path.read_bytes().splitlines()) for path in paths)


def show(what: str, figure: str) -> None:
    print(f"{what:58} {figure:>22}", flush=True)


def show_source() -> None:
    for folder in ("src", "tests", "bench", "tools"):
        files = list((ROOT / folder).rglob("*.py"))
        show(f"{folder}: lines, files", f"{lines(files):,} in {len(files):,}")
    surface = [file for file in (ROOT / "src").rglob("*.py") if SURFACE.fullmatch(file.name)]
    show("src: pages, API, forms, commands, queries, words", f"{lines(surface):,} in {len(surface):,}")


def cpu_of(command: tuple[str, ...], environment: dict[str, str]) -> float:
    """The least of three: the machine's own noise only adds."""
    spent = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, env=environment, capture_output=True, check=False)  # noqa: S603
        assert done.returncode == 0, done.stderr.decode()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(spent)


def show_imports(environment: dict[str, str]) -> None:
    for module in IMPORTS:
        code = f"import gc; gc.disable(); import sys, armarium.{module}; print(len(sys.modules))"
        modules = subprocess.check_output([sys.executable, "-c", code], env=environment, text=True).strip()  # noqa: S603
        seconds = cpu_of((sys.executable, "-c", code), environment)
        show(f"import armarium.{module}: CPU, modules", f"{seconds:.2f} s, {modules}")


def show_commands(commands: tuple[tuple[str, ...], ...], environment: dict[str, str]) -> None:
    for words in commands:
        show(f"armarium {' '.join(words)}: CPU", f"{cpu_of((*ARMARIUM, *words), environment):.2f} s")


def free_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return str(probe.getsockname()[1])


@contextmanager
def house(environment: dict[str, str], folder: Path) -> Iterator[psutil.Process]:
    """`armarium up`, ready."""
    output = folder / "output"
    with output.open("wb") as out:
        started = subprocess.Popen([*ARMARIUM, "up"], env=environment, stdout=out, stderr=out)  # noqa: S603
    try:
        while "Stop with" not in output.read_text():
            assert started.poll() is None, output.read_text()
            time.sleep(0.05)
        yield psutil.Process(started.pid)
    finally:
        started.terminate()
        started.wait(60)


def processes(first: psutil.Process, home: Path) -> dict[str, list[psutil.Process]]:
    """By name. The server of the database belongs to nobody: it is found by its folder."""
    found: dict[str, list[psutil.Process]] = {}
    servers = [
        p for p in psutil.process_iter(["cmdline"]) if str(home / "postgres") in (p.info["cmdline"] or ())
    ]
    postgres = [child for server in servers for child in (server, *server.children(recursive=True))]
    for process in (first, *first.children(recursive=True)):
        if process not in postgres:
            found.setdefault(" ".join(process.cmdline()).partition("armarium ")[2], []).append(process)
    return {**found, "PostgreSQL": postgres}


def show_house(environment: dict[str, str], folder: Path, which: str) -> None:
    with house(environment, folder) as first:
        ready = processes(first, Path(environment["ARMARIUM_HOME"]))
        show(f"{which}: CPU until somebody can sign in", f"{sum(map(cpu, ready.values())):.1f} s")
        time.sleep(AT_REST)
        resting = processes(first, Path(environment["ARMARIUM_HOME"]))
        for name, several in resting.items():
            show(f"  {name}: memory at rest, CPU", f"{memory(several):.0f} MB, {cpu(several):.1f} s")
        show(f"{which}: memory at rest", f"{sum(map(memory, resting.values())):.0f} MB")


def cpu(several: list[psutil.Process]) -> float:
    return sum(sum(process.cpu_times()[:2]) for process in several)


def memory(several: list[psutil.Process]) -> float:
    return sum(process.memory_full_info().pss for process in several) / 2**20


def main() -> None:
    show_source()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ARMARIUM_")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment |= {
            "ARMARIUM_HOME": str(folder / "home"),
            "ARMARIUM_WEB_PORT": free_port(),
            "ARMARIUM_ACCESS_PORT": free_port(),
        }
        show_imports(environment)
        show_commands(ALONE, environment)
        if "--no-house" in sys.argv:
            return
        show_house(environment, folder, "first start")
        show_house(environment, folder, "next start")
        with house(environment, folder):
            show_commands(WITH_DATABASE, environment)


if __name__ == "__main__":
    main()
