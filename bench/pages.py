"""CPU of the web process for each page, before and after: two checkouts, the same data, in one run.

    git worktree add ../before COMMIT
    python -m bench.pages ../before        about eight minutes; --times 5 in two

The earlier checkout makes a demonstration, the later one gets a copy of it. Of all pages that both have, and
that links lead to from home, one of each kind is asked of both. CPU is in milliseconds: all threads of
the process, as the kernel counts, at the quickest fifth of the requests, for what else runs only adds.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil

from armarium.harvest.fetch.login_form import login_form

HERE = Path(__file__).resolve().parent.parent
HOME = "x-demo"
WARM = 3  # requests that are not counted
NO_PAGE = re.compile(r"sign-out|static|^/help/|^/api|\.\w+$")


@dataclass
class House:
    """One checkout with its own copy of the data."""

    top: Path
    folder: Path
    port: int
    password: str = ""

    @property
    def environment(self) -> dict[str, str]:
        own = {name: value for name, value in os.environ.items() if not name.startswith("ARMARIUM")}
        return own | {
            "ARMARIUM_HOME": str(self.folder / HOME),
            "ARMARIUM_WEB_PORT": str(self.port),
            "ARMARIUM_ACCESS_PORT": str(self.port + 1),
            "ARMARIUM_SERVER_COLLECTORS": "0",
            "PYTHONPATH": str(self.top / "src"),
            "PYTHONSAFEPATH": "1",
        }

    def run(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "armarium", *words]

    @contextmanager
    def open(self) -> Iterator[psutil.Process]:
        """Everything started; the process that makes pages."""
        with (self.folder / "log").open("w") as log:
            up = subprocess.Popen(  # noqa: S603
                self.run("up"), env=self.environment, cwd=self.top, stdout=log, stderr=log
            )
            try:
                self._wait()
                yield next(one for one in psutil.Process(up.pid).children(True) if "web" in one.cmdline())
            finally:
                up.terminate()
                up.wait(60)

    def _wait(self) -> None:
        for _ in range(300):
            try:
                if httpx.get(f"http://localhost:{self.port}/sign-in").status_code == 200:
                    return
            except httpx.HTTPError:
                time.sleep(0.2)
        sys.exit(f"Nothing answers on port {self.port}; see {self.folder / 'log'}.")

    def signed_in(self) -> httpx.Client:
        site = f"http://localhost:{self.port}"
        client = httpx.Client(base_url=site, timeout=60, follow_redirects=True, headers={"Origin": site})
        given = {"name": "administrator", "password": self.password}
        form = login_form(client.get("/sign-in").content, "utf-8", f"{site}/sign-in", given)
        if form is None:
            sys.exit(f"{site}/sign-in has no form.")
        kind = "application/x-www-form-urlencoded"
        client.post(form.action, content=form.filled(given), headers={"Content-Type": kind})
        return client


def make_demonstration(house: House) -> None:
    house.folder.mkdir()
    environment = house.environment | {"ARMARIUM_HOME": str(house.folder / HOME.removesuffix("-demo"))}
    ports = ("--port", str(house.port), "--readers-port", str(house.port + 1))
    command = house.run("demo", "--no-stay", "--no-open", *ports, "--web-port", str(house.port + 2))
    said = subprocess.check_output(command, env=environment, cwd=house.top, text=True)  # noqa: S603
    found = re.search(r"Password of all of them: (\S+)", said)
    house.password = found[1] if found else sys.exit(said)


def pages(client: httpx.Client) -> set[str]:
    """One of each kind that links lead to from the home page."""
    kinds, seen, waiting = set(), set(), ["/"]
    for path in waiting:
        kind = re.sub(r"\d+", "0", path)
        if kind in kinds or NO_PAGE.search(path):
            continue
        kinds.add(kind)
        answer = client.get(path)
        if answer.status_code == 200 and "html" in answer.headers.get("content-type", ""):
            seen.add(path)
            waiting += re.findall(r'<a [^>]*href="(/[^"#?]*)', answer.text)
    return seen


def cpu(process: psutil.Process) -> float:
    """Milliseconds that all its threads have had."""
    threads = Path(f"/proc/{process.pid}/task").glob("*/schedstat")
    return sum(int(one.read_text().split()[0]) for one in threads) / 1e6


def cost(client: httpx.Client, process: psutil.Process, path: str, times: int) -> float:
    spent = []
    for _ in range(WARM + times):
        before = cpu(process)
        client.get(path)
        spent.append(cpu(process) - before)
    return sorted(spent[WARM:])[times // 5]


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("before", type=Path, help="the earlier checkout")
    asked.add_argument("--times", type=int, default=25)
    given = asked.parse_args()
    with tempfile.TemporaryDirectory(prefix="armarium-pages-") as scratch:
        before = House(given.before.resolve(), Path(scratch, "before"), 23_100)
        after = House(HERE, Path(scratch, "after"), 23_110)
        make_demonstration(before)
        after.folder.mkdir()
        shutil.copytree(before.folder / HOME, after.folder / HOME, symlinks=True)
        after.password = before.password
        with before.open() as old, after.open() as new:
            compare((before.signed_in(), old), (after.signed_in(), new), given.times)


def compare(
    old: tuple[httpx.Client, psutil.Process], new: tuple[httpx.Client, psutil.Process], times: int
) -> None:
    show("page", "before", "after", "ratio")
    total = [0.0, 0.0]
    for path in sorted(pages(old[0]) & pages(new[0])):
        spent = cost(*old, path, times), cost(*new, path, times)
        total = [total[0] + spent[0], total[1] + spent[1]]
        show(path, *figures(*spent))
    show("all", *figures(*total))


def figures(before: float, after: float) -> tuple[str, str, str]:
    return f"{before:.1f}", f"{after:.1f}", f"{after / before:.2f}"


def show(page: str, before: str, after: str, ratio: str) -> None:
    print(f"{page:48} {before:>8} {after:>8} {ratio:>6}", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
