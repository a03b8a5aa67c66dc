"""The same readers on ours and on pywb, over the same WARC files, with nobody else at work."""

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.load import costs
from bench.load.generator import Plan
from bench.load.house import Site
from bench.load.measure import generate
from bench.load.noting import Row, row
from bench.load.readers import Door
from bench.load.table import number_of
from bench.replay import servers

SECONDS = 45.0


@dataclass(frozen=True)
class Side:
    name: str
    page: Row
    all: Row
    cpu: float
    pages: int
    words: list[str]

    @property
    def cpu_each(self) -> float:
        return self.cpu / max(1, self.all.count) * 1000

    def cells(self) -> list[str]:
        return [
            self.name,
            f"{self.all.count:,}",
            str(self.all.faults),
            f"{self.page.p50:.1f}, {self.page.p99:.0f}",
            f"{self.all.p50:.1f}, {self.all.p99:.0f}",
            f"{self.cpu_each:.2f}",
            f"{self.cpu / max(1, self.pages):.4f}",
        ]


def compared(site: Site, plan: Plan, folder: Path, venv: Path | None) -> list[Side]:
    """Ours first; collectors are sent away."""
    for name, process in site.processes.items():
        if name.startswith("collector"):
            process.terminate()
            process.wait(60)
    alone = replace(plan, librarians=0, office=None, seconds=SECONDS)
    before = costs.spent(site)["access"]
    told = generate(alone, folder)
    sides = [_side("armarium", told, costs.spent(site)["access"] - before)]
    place = venv or servers.install_pywb(folder)
    if place is None:
        sys.stderr.write("pywb cannot be installed here: ours alone.\n")
        return sides
    files = sorted(str(path) for path in (folder / "archive" / "replicas" / "one").rglob("*.warc.gz"))
    with servers.pywb_over(files, folder, place) as server:
        door = Door(
            server.port,
            f"127.0.0.1:{server.port}",
            f"127.0.0.1:{server.port}",
            servers.COLLECTION,
            framed=False,
            banner=False,
        )
        began = server.cpu()
        told = generate(replace(alone, door=door), folder)
        return [*sides, _side("pywb", told, server.cpu() - began)]


def _side(name: str, told: dict[str, Any], cpu: float) -> Side:
    found = told["readers"]
    every = [one for times in found["times"].values() for one in times]
    pages = found["times"].get("page", [])
    faults = sum(found["faults"].values())
    assert number_of(found) == len(every)
    return Side(name, row("page", pages, 0), row("all", every, faults), cpu, len(pages), found["words"])
